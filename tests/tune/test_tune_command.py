"""``accshare tune`` from the command line to the next build."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from choosing import SAMPLES
from tuning import tuner_in

from accshare.driver.tunings import Measurement, forget, record, rows
from accshare.run.tune.show import sizes_of

TWO = """\
#include <stdio.h>
void scale(int n, float *restrict a, const float *restrict b)
{
#pragma acc parallel loop copyout(a[0:n]) copyin(b[0:n])
  for (int i = 0; i < n; i++)
    a[i] = 3.0f * b[i];
}
void transpose(int n, float a[n][n], float b[n][n])
{
#pragma acc kernels loop copyout(a[0:n][0:n]) copyin(b[0:n][0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = b[j][i];
}
static float a[64][64], b[64][64];
int main(void)
{
  for (int i = 0; i < 64 * 64; i++)
    b[i / 64][i % 64] = (float)i;
  transpose(64, a, b);
  scale(64, a[0], b[0]);
  printf("%g %g\\n", a[0][3], a[3][0]);
  return 0;
}
"""
NATIVE = ("--acc-target=native", "-O2", "-march=native")
DIVIDING = """\
void divide(int n, int a[n])
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = a[i] / (a[i] - a[i]);
}
"""
FIXED = """\
float a[100];
void twice(void)
{
#pragma acc parallel loop copy(a[0:100])
  for (int i = 0; i < 100; i++)
    a[i] = 2 * a[i];
}
"""
ENDLESS = """\
void turn(int n, float a[n])
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          for (int m = 0; m < n; m++)
            a[i] = 0.5f * a[i] + 1.0f;
}
"""
ORDERS = """\
#include <stdio.h>
void product(int n, float a[n][n], float b[n][n], float c[n][n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      c[i][j] *= 3;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
  }
}
static float a[50][50], b[50][50], c[50][50];
int main(void)
{
  for (int i = 0; i < 50 * 50; i++) {
    a[i / 50][i % 50] = (float)(i % 7);
    b[i / 50][i % 50] = (float)(i % 5);
    c[i / 50][i % 50] = 1;
  }
  product(50, a, b, c);
  printf("%g %g\\n", c[3][4], c[49][48]);
  return 0;
}
"""
#: not a matter of time
FEW = ("--budget", "250s", "--choices", "2")


@pytest.fixture
def two(tuner, opencl, runtime):
    (tuner.folder / "two.c").write_text(TWO)
    return tuner


@pytest.mark.thorough
def test_every_region_is_tuned_the_compilers_choice_first(two):
    done = two("tune", "two.c", "--acc-target=generic-gpu", "--define", "n=200", *FEW)
    assert done.returncode == 0
    assert [line.split(" for ")[0] for line in done.stdout.splitlines() if " for " in line] == [
        *("scale_l4", "transpose_l10"),
    ]
    kept = rows(two.database)
    for name in ("scale_l4", "transpose_l10"):
        own = [one for place, one in kept if place.name == name]
        assert ((),) in [one.kernels for one in own]
        assert {(one.size, one.inputs) for one in own} == {("n=256", "n=200")}
        assert f"{name}: measuring the compiler's own choice\n" in done.stderr
        assert re.search(rf"{name}: 1 choices, 1.00x, \d+ s left\n", done.stderr)
    assert "\n  n=200: " in done.stdout
    assert "\x1b" not in done.stderr
    assert {one.outcome for _, one in kept} <= {"ok", "same"}


@pytest.fixture(scope="module")
def measured_once(opencl, runtime, pocl_cache, asked, tmp_path_factory):
    """A database with the compiler's own choice for `transpose` on a GPU, and nothing else."""
    tuner = tuner_in(tmp_path_factory.mktemp("once"), pocl_cache, asked)
    (tuner.folder / "two.c").write_text(TWO)
    command = (
        "tune",
        "two.c",
        "--acc-target=generic-gpu",
        "--only",
        "transpose_l10",
        "--choices",
        "0",
        "--budget",
        "250s",
    )
    assert tuner(*command).returncode == 0
    assert [one.kernels for _, one in rows(tuner.database)] == [((),)]
    return tuner.database


@pytest.fixture
def known(two, measured_once):
    """A tuner that knows how long the compiler's own choice takes."""
    shutil.copy(measured_once, two.database)
    return two


def faster(two, sizes):
    """Writes down that `transpose` is fastest with `sizes`."""
    place, default = next((p, m) for p, m in rows(two.database) if p.name == "transpose_l10")
    forget([place], None, two.database)
    record(place, [default], two.database)
    record(place, [Measurement(default.size, (sizes,), "ok", default.seconds / 1000)], two.database)


def blocks(two, *options):
    """The work-group of each kernel in a run of the program."""
    assert two.compile("-O1", *options, "two.c", "-o", "two").returncode == 0
    ran = two.execute("./two", ACCSHARE_NOTIFY="1")
    assert ran.stdout == "9 3\n"
    return dict(re.findall(r"kernel=(\w+)_0 .* block=(\S+)", ran.stderr))


@pytest.mark.thorough
def test_the_next_build_takes_what_was_found(known):
    two, target = known, "--acc-target=generic-gpu"
    before = blocks(two, target)
    faster(two, (("TB_X", 16), ("TB_Y", 2), ("STAGE", 0)))
    assert blocks(two, target) == {**before, "transpose_l10": "16x2x1"} != before
    assert blocks(two, target, "--acc-choose=transpose_l10_0:TB_X=64,TB_Y=1,STAGE=off")["transpose_l10"] == "64x1x1"
    assert blocks(two, "--acc-target=generic-cpu")["transpose_l10"] != "16x2x1"
    said = two("explain", target, "two.c").stdout
    assert "TB_X=16 TB_Y=2 STAGE=0, which tuning on" in said
    assert "1000.00x as fast [ACC510]" in said
    (two.folder / "two.c").write_text("\n\n" + TWO)
    assert "ACC510" in two("explain", target, "two.c").stdout
    (two.folder / "two.c").write_text(TWO.replace("b[j][i]", "b[j][i] + 1.0f"))  # another region
    assert "ACC510" not in two("explain", target, "two.c").stdout


@pytest.mark.thorough
def test_what_is_no_longer_legal_is_not_taken(known):
    two, target = known, "--acc-target=generic-gpu"
    before = blocks(two, target)
    for sizes in ((("TB_X", 1 << 20), ("STAGE", 0)), (("k", 7),)):
        faster(two, sizes)
        assert blocks(two, target) == before


@pytest.mark.thorough
def test_a_broken_database_is_told_and_the_compilers_choice_stands(two):
    before = blocks(two)
    two.database.write_text("nothing\n" * 200)
    made = two.compile("-O1", "two.c", "-o", "two")
    assert made.returncode == 0
    assert "ACC703" in made.stderr
    assert str(two.database) in made.stderr
    assert two.execute("./two").returncode == 0
    assert blocks(two) == before
    assert two("tune", "two.c", "--budget", "250s").returncode == 1


@pytest.mark.thorough
def test_the_sizes_of_a_run_are_tuned_for(two):
    assert two.compile("-O1", "two.c", "-o", "two").returncode == 0
    two.execute("./two", ACCSHARE_RECORD="met.jsonl")
    lines = [json.loads(line) for line in (two.folder / "met.jsonl").read_text().splitlines()]
    with open(two.folder / "met.jsonl", "w") as file:
        json.dump({**next(one for one in lines if one["name"] == "scale_l4"), "count": 9, "sizes": {"n": 1000}}, file)
    done = two("tune", "two.c", "--from", "met.jsonl", *FEW)
    assert done.returncode == 0
    assert "transpose_l10: met.jsonl has no sizes for it" in done.stdout
    own = [(place.name, one) for place, one in rows(two.database) if not any(one.kernels)]
    assert [(name, one.size, one.inputs, one.weight) for name, one in own] == [("scale_l4", "n=1024", "n=1000", 9)]


@pytest.mark.thorough
def test_choices_that_are_slower_than_the_limit_are_not_called_hung(two):
    done = two("tune", "two.c", "--only", "transpose_l10", "--limit", "0.01s", *FEW)
    assert done.returncode == 0
    assert "the compiler's own choice stands" in done.stdout
    assert "1 choice measured, 2 stopped, having taken more than 0.01 s\n" in done.stdout
    assert "hung" not in done.stdout
    first, *rest = [one for _, one in rows(two.database)]
    assert first.outcome == "ok"
    assert {(one.outcome, one.said) for one in rest} == {("slow", "took more than 0.01 s")}


def test_when_time_is_up_nothing_is_begun(two):
    done = two("tune", "two.c", "--define", "n=1000", "--budget", "1e-6s")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the time is up" in done.stderr
    assert not two.database.exists()


@pytest.mark.thorough
def test_what_runs_when_time_is_up_is_stopped(two):
    (two.folder / "endless.c").write_text(ENDLESS)
    done = two("tune", "endless.c", "--budget", "4s")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search("was (stopped|not started), for the time is up", done.stderr)
    assert not two.database.exists()


@pytest.mark.thorough
def test_every_size_is_measured_as_it_was_given(known):
    """Two of one size class are kept as one; what was measured there with another is no longer compared with them."""
    assert {(m.size, m.inputs) for _, m in rows(known.database)} == {("n=512", "n=512")}
    only = ("tune", "two.c", "--acc-target=generic-gpu", "--only", "transpose_l10", *FEW)
    done = known(*only, "--define", "n=300,500")
    assert done.returncode == 0
    assert re.findall(r"^  n=\d+(?=: .* ms -> .* ms, )", done.stdout, re.MULTILINE) == ["  n=300", "  n=500"]
    kept = [m for _, m in rows(known.database)]
    assert {(m.size, m.inputs) for m in kept} == {("n=512", "n=300; n=500")}
    assert len(kept) == 3
    again = known(*only, "--define", "n=300,500", "--choices", "0")  # nothing is measured anew
    assert re.search(r"for generic-gpu: \d choices measured", again.stdout)
    assert {m.kernels for _, m in rows(known.database)} == {m.kernels for m in kept}


@pytest.mark.thorough
def test_a_region_without_sizes_can_be_tuned(two):
    (two.folder / "fixed.c").write_text(FIXED)
    done = two("tune", "fixed.c", *FEW)
    assert done.returncode == 0
    assert "\n  no inputs: " in done.stdout
    assert {one.size for _, one in rows(two.database)} == {"no inputs"}


def workers(pid):
    """The processes that a process started through another one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    return [child for child, parent in parents.items() if parents.get(parent) == pid]


@pytest.mark.thorough
def test_a_choice_whose_process_dies_is_told(two):
    with two.start("tune", "two.c", "--only", "transpose_l10", *FEW) as process:
        while "crashed" not in {one.outcome for _, one in rows(two.database)}:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.05)
            for worker in workers(process.pid) if rows(two.database) else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
        said, _ = process.communicate()
    assert process.returncode == 0
    assert "crashed: was ended by SIGKILL; it is never taken" in said


@pytest.mark.thorough
def test_an_interrupted_run_keeps_what_it_measured_and_the_next_goes_on(two):
    only = ("--only", "scale_l4")
    with two.start("tune", "two.c", *only, "--budget", "300s") as process:
        while len(rows(two.database)) < 3:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.1)
        process.send_signal(signal.SIGINT)
        said, wrong = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in wrong
    assert "interrupted: what was measured is kept" in said
    first = [one.kernels for _, one in rows(two.database)]
    assert two("tune", "two.c", *only, *FEW).returncode == 0
    kept = [one.kernels for _, one in rows(two.database)]
    assert len(kept) == len(set(kept)) >= len(first)
    assert set(kept) >= set(first)
    assert two("tune", "two.c", "--forget").stdout == f"{len(kept)} measurements forgotten\n"
    assert rows(two.database) == ()


def test_without_a_device_nothing_is_written(two):
    done = two("tune", "two.c", OCL_ICD_VENDORS="/absent")
    assert done.returncode == 1
    assert "accshare doctor" in done.stderr
    assert not two.database.exists()


@pytest.mark.thorough
def test_host_loops_that_crash_are_told(two):
    (two.folder / "divide.c").write_text(DIVIDING)
    done = two("tune", "divide.c", "--budget", "250s")
    assert done.returncode == 1
    assert "divide_l3: running the host's loops was ended by SIGFPE; the compiler's own choice stands" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--define", "m=3"], "no loop has an integer input called m; there are n"),
        (["--define", "n"], "write NAME=VALUE"),
        (["--budget", "soon"], "write a time, as in 60s"),
        (["--from", "absent"], "absent: No such file"),
        (["--define", "n=1000000"], "its arrays would be too large"),
    ],
)
def test_what_cannot_be_asked_is_told(two, words, why):
    done = two("tune", "two.c", "--only", "transpose_l10", "--budget", "250s", *words)
    assert done.returncode in (1, 2)
    assert why in done.stderr


def test_a_file_without_regions_is_told(two):
    (two.folder / "plain.c").write_text("int main(void) { return 0; }\n")
    assert "nothing to tune" in two("tune", "plain.c").stderr


@pytest.mark.slow
@pytest.mark.parametrize("target", ["generic-gpu", "generic-cpu"])
@pytest.mark.parametrize("sample", sorted(path.stem for path in SAMPLES.glob("*.c")))
def test_samples_can_be_tuned(sample, target, tuner, opencl):
    for name in (f"{sample}.c", "sample.h"):
        shutil.copy(SAMPLES / name, tuner.folder)
    done = tuner("tune", f"{sample}.c", f"--acc-target={target}", "--budget", "250s", "--choices", "12")
    assert done.returncode == 0
    kept = rows(tuner.database)
    assert {one.outcome for _, one in kept} <= {"ok", "same", "illegal", "unfit"}, done.stdout
    for choice in {one.kernels for _, one in kept if one.outcome == "ok"}:
        assert all(sizes_of(sizes) for sizes in choice)


def test_native_kernels_are_tuned_on_this_processor_without_opencl(tuner):
    (tuner.folder / "two.c").write_text(TWO)
    few = ("--define", "n=64", "--choices", "1", "--budget", "120s", "--only", "transpose_l10")
    done = tuner("tune", *NATIVE, "two.c", *few, ACCSHARE_OPENCL="none")
    assert (done.returncode, done.stdout.count(" for native: ")) == (0, 1), done.stderr
    known = rows(tuner.database)
    assert {(place.driver, place.target) for place, _ in known} == {("native", "native")}
    assert all(one.outcome == "ok" for _, one in known if not any(one.kernels))
    place, default = known[0]
    faster = Measurement(
        default.size, ((("TB_X", 16), ("TB_Y", 16)),), "ok", default.seconds / 4, inputs=default.inputs
    )
    record(place, [faster], tuner.database)
    assert "[ACC510]" in tuner("explain", *NATIVE, "two.c").stdout
    assert "[ACC510]" not in tuner("explain", "--acc-target=native", "two.c").stdout  # other models
    built = tuner.compile(*NATIVE, "two.c", "-o", "two")
    assert (built.returncode, built.stderr) == (0, "")
    assert tuner.execute("./two").stdout == "9 3\n"


def test_orders_of_loops_are_measured_and_builds_take_the_fastest(tuner):
    (tuner.folder / "orders.c").write_text(ORDERS)
    few = ("--define", "n=40", "--choices", "2", "--budget", "120s")
    done = tuner("tune", *NATIVE, "orders.c", *few, ACCSHARE_OPENCL="none")
    assert done.returncode == 0, done.stderr
    known = {one.order: (place, one) for place, one in rows(tuner.database)}
    assert {order: one.outcome for order, (_, one) in known.items()} == dict.fromkeys(
        ("", "source", "distributed"), "ok"
    )
    place, written = known["source"]
    record(place, [replace(written, seconds=known[""][1].seconds / 8, spread=0.0)], tuner.database)
    built = tuner.compile(*NATIVE, "--acc-report", "orders.c", "-o", "orders")
    assert built.returncode == 0
    assert "native: source order, which tuning on " in built.stderr
    assert "fused" not in built.stderr
    assert tuner.execute("./orders").stdout == "603 444\n"
    wished = tuner("explain", *NATIVE, "--acc-schedule=super", "orders.c").stdout
    assert "[ACC510]" not in wished
    assert "fused: " in wished
