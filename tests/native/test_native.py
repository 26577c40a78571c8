"""Programs whose kernels are C of the program itself: what they print, by whichever compiler and wherever they run."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from calls import explained
from commands import accshare, accshare_cc
from tiers import rarely, telling

from accshare.device import HostMachine, native_models, processor
from accshare.run.sources import read_file

HERE = Path(__file__).parent
OWN = {path.stem: path for path in sorted((HERE / "programs").glob("*.c"))}
PROGRAMS = {path.stem: path for path in sorted((HERE.parent / "programs").glob("*.c"))} | OWN
#: half of them, what is about native kernels among it
USUAL = {*OWN, *list(PROGRAMS)[::2], "own_arrays"}
#: with one version of a kernel, for this processor, or with one for each kind
ALONE = ("-O1 -march=native", "-O2")
SANITIZED = ("-O1", "-g", "-march=native", "-fno-sanitize-recover")
#: variables of ours that programs see
KEPT = {"ACCSHARE_CACHE_DIR", "ACCSHARE_BREAK_EVEN"}
#: where OpenCL can't be had
WITHOUT_OPENCL = {"ACCSHARE_OPENCL": "/nonexistent/libOpenCL.so"}


def stated(program: Path, word: str) -> list[str]:
    return re.findall(rf"^// {word}: (.*)$", program.read_text(), re.MULTILINE)


def built(program: Path, folder: Path, *flags: str, **variables: str) -> Path:
    binary = folder / program.stem
    words = ("--acc-target=native", "-std=c99", *flags, program, "-o", binary, "-lm")
    done = accshare_cc(*words, env={**os.environ, **variables})
    assert done.returncode == 0, done.stderr
    assert "internal error" not in done.stderr
    return binary


def run(binary: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in KEPT}
    return subprocess.run([binary, *arguments], env=clean | environment, capture_output=True, text=True, check=False)


def launches(done: subprocess.CompletedProcess[str]) -> list[str]:
    return re.findall(r'^accshare: launch .* device="native" .* variant=(\S+) threads=\d+$', done.stderr, re.MULTILINE)


def check(program: Path, binary: Path, vectors: bool = True, **environment: str) -> None:
    """The program prints what it says, and launches as many kernels, which `vectors` may make others."""
    done = run(binary, ACCSHARE_NOTIFY="1", **environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == stated(program, "prints"), done.stderr
    plain = [] if vectors else stated(program, "plainly launches")
    expected = plain or stated(program, "natively launches") or stated(program, "launches")
    assert [str(len(launches(done)))] == expected, done.stderr


@pytest.mark.parametrize("program", telling(USUAL, PROGRAMS, {"memory", "shrinking_sum", "wrapped_subscripts"}))
def test_programs_print_what_they_say_without_opencl(program, tmp_path):
    flags = () if program in {*OWN, "histograms"} else ("-march=native",)  # a version for each processor, or this one's
    check(PROGRAMS[program], built(PROGRAMS[program], tmp_path, "-O1", *flags, "-ffp-contract=off"), **WITHOUT_OPENCL)


@pytest.mark.parametrize("flags", ["-march=x86-64-v3", "-march=x86-64-v2", "-mavx", "-mavx512f"])
def test_numbers_of_all_sizes_are_converted_by_whatever_instructions_there_are(flags, tmp_path):
    if flags == "-mavx512f" and " avx512f " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no AVX-512")
    program = OWN["conversions"]
    check(program, built(program, tmp_path, "-O1", flags, "-ffp-contract=off"), **WITHOUT_OPENCL)


def test_vectors_of_small_integers_are_not_taken_apart(tmp_path):
    assembly = tmp_path / "conversions.s"
    words = ("-O1", "-march=x86-64-v4", "--acc-target=native", "-S", OWN["conversions"], "-o", assembly)
    done = accshare_cc(*words)
    assert done.returncode == 0, done.stderr
    function = r"^__acc_main_l\d+_\w+_0[^_]*:$.*?^\t\.cfi_endproc"
    kernels = re.findall(function, assembly.read_text(), re.MULTILINE | re.DOTALL)
    assert len(kernels) == 2
    for kernel in kernels:
        assert "zmm" in kernel
        assert not re.search(r"\tvp(insr|extr)[bwd]", kernel)


def test_stencils_of_boxes_go_by_two_planes_as_long_as_these_are_few_lines_of_memory():
    """Pictures, whose planes share nothing, go by rows of one."""
    for isa, lanes in (("x86-64-v4", 16), ("x86-64-v3", 8)):
        words = ("-std=c99", "--acc-target=native", f"-march={isa}", OWN["boxes"])
        said = re.findall(r"^ +kernel (\w+)_l\d+_\d: (.*) at once$", accshare("explain", *words).stdout, re.MULTILINE)
        assert dict(said) == {
            "seven": f"2 planes of a vector of {lanes}",
            "by_steps": f"2 planes of a vector of {lanes // 2}",
            "fields": f"a vector of {lanes}",
            "images": f"8 rows of a vector of {lanes}",
        }


def test_columns_that_are_added_up_ask_for_the_rows_they_read_next_where_vectors_are_lines():
    for isa, names in (("x86-64-v4", {"sums", "averages", "kept"}), ("x86-64-v3", set())):
        text = accshare("emit", "--acc-target=native", f"-march={isa}", "--kernel", OWN["columns"]).stdout
        kernels = text.split("/* ---- ")[1:]
        assert {kernel.split("_")[0] for kernel in kernels if "__builtin_prefetch" in kernel} == names


def test_rows_that_all_iterations_update_have_vectors_for_some_iterations_at_once():
    """Not those of which each iteration has a part, or whose elements data choose."""
    text = accshare("emit", "--acc-target=native", "-march=x86-64-v3", "--kernel", OWN["row_updates"]).stdout
    kernels = text.split("/* ---- ")[1:]
    found = {kernel.split("_l")[0] for kernel in kernels if "i_block + 7 <= " in kernel}
    types, names = ("float", "double", "int"), ("beside", "behind", "two", "alone")
    assert found == {"masks", *("_".join(both) for both in product(types, names))}


def test_sweeps_that_do_the_same_call_one_function():
    """Whatever their arrays and iterators are called; two of three are the same, and so are two by blocks of rows."""
    text = accshare("emit", "--acc-target=native", "-march=x86-64-v3", "--kernel", OWN["sweeps"]).stdout
    kernels = text.split("/* ---- ")[1:]
    assert [len(set(re.findall(r"\w+_tile\d+", kernel))) for kernel in kernels] == [2, 2]
    assert [len(re.findall(r"^ +\w+_tile\d+\(", kernel, re.MULTILINE)) for kernel in kernels] == [5, 5]


def test_neighbours_in_a_row_are_shifted_where_vectors_are_whole_lines():
    for isa, names in (("x86-64-v4", {"plane", "box"}), ("x86-64-v3", set())):
        text = accshare("emit", "--acc-target=native", f"-march={isa}", "--kernel", OWN["rows"]).stdout
        kernels = text.split("/* ---- ")[1:]
        assert {kernel.split("_")[0] for kernel in kernels if "__builtin_shufflevector(x_past" in kernel} == names


@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("triangles", "lower below upper above band corner integers widest"),
        ("ragged", "before from band corner slope sums symmetric"),
    ],
)
def test_rows_of_triangles_run_side_by_side(program, names):
    text = accshare("emit", "--acc-target=native", "-march=x86-64-v3", "--kernel", OWN[program]).stdout
    kernels = text.split("/* ---- ")[1:]
    several = re.compile(r"for \(int [ik]_block = .*; [ik]_block \+ \d+ <= ")
    found = {kernel.split("_")[0] for kernel in kernels if several.search(kernel)}
    assert found == set(names.split())


@pytest.mark.parametrize(
    "flags", telling({"-O2 -march=native", "-Ofast"}, ["-O0", "-O2 -march=native", "-O2 -mavx2", "-Ofast"])
)
@pytest.mark.parametrize("program", ["numbers", "nests"])
def test_flags_of_the_user_change_no_result(program, flags, tmp_path):
    check(OWN[program], built(OWN[program], tmp_path, *flags.split(), "-ffp-contract=off"))


@pytest.mark.skipif(not shutil.which("clang"), reason="there is no clang")
@pytest.mark.parametrize(
    ("program", "flags"),
    telling((), product(OWN, ALONE), slow=set(product(OWN, ALONE[1:])) - set(product(("nests", "conversions"), ALONE))),
)
def test_clang_compiles_them_too(program, flags, tmp_path):
    check(OWN[program], built(OWN[program], tmp_path, *flags.split(), "-ffp-contract=off", ACCSHARE_CC="clang"))


@pytest.mark.thorough
@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
@pytest.mark.parametrize("program", rarely(2, [*OWN, "histograms", "segments", "array_sums", "pointers_to_rows"]))
def test_sanitizers_have_nothing_to_say(program, sanitizer, tmp_path):
    binary = built(PROGRAMS[program], tmp_path, *SANITIZED, f"-fsanitize={sanitizer}")
    check(PROGRAMS[program], binary, ACCSHARE_THREADS="3", ASAN_OPTIONS="detect_leaks=0", **WITHOUT_OPENCL)


def test_a_version_for_each_instruction_set_unless_the_user_names_one(tmp_path):
    several = accshare("emit", "--kernel", "--acc-target=native", OWN["nests"]).stdout
    assert set(re.findall(r'target\("arch=(.*?)"\)', several)) == {"x86-64-v2", "x86-64-v3", "x86-64-v4"}
    one = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", OWN["nests"]).stdout
    assert "target(" not in one
    assert {int(size) for size in re.findall(r"vector_size\((\d+)\)", one)} <= {8, 16, 32}


#: rows that are one and the same
ROWS = """
#include <stdio.h>
#include <stdlib.h>
static void add(int n, int m, float **a)
{
#pragma acc parallel loop copy(a[0:n][0:m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] += 1;
}
int main(int argc, char **argv)
{
  int m = atoi(argv[argc - 1]);
  float *row = calloc(m, sizeof *row), *rows[] = {row, row};
  add(2, m, rows);
  printf("%g\\n", row[m - 1]);
}
"""


#: a recurrence along each row, and along rows of a triangle
RECURRENCES = """
void along(int n, int m, double x[restrict n][m])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      x[i][j] += x[i][j - 1] / 2;
}
void longer(int n, int m, double x[restrict n][m])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 1; j < i; j++)
      x[i][j] += x[i][j - 1] / 2;
}
"""


def test_few_iterations_are_side_by_side_in_vectors_where_loops_inside_have_an_order(tmp_path):
    """Others are a work-group each, as long as there are too few tiles of them for some cores."""
    (tmp_path / "rows.c").write_text(RECURRENCES)
    regions = explained(tmp_path / "rows.c", "--acc-target=native", "-O2", "-mavx2")["regions"]
    below = {r["function"]: [size["below"] for k in r["kernels"] for size in k["sizes"]] for r in regions}
    assert below == {"along": [0], "longer": [0, 64]}


def test_few_iterations_with_loops_of_their_own_are_work_groups(tmp_path):
    """So that no core waits for others: five and 40 are as many groups, and 300 are fewer. Rows that are summed up in
    order go side by side in vectors: eight of these are two vectors."""
    done = run(built(OWN["few_long"], tmp_path, "-O2", "-mavx2"), ACCSHARE_NOTIFY="1", **WITHOUT_OPENCL)
    grids = re.findall(r"kernel=(frame|scans|eight)_l\d+_0(_small)? .* grid=(\d+)x", done.stderr)
    sizes = {name: [(bool(small), int(x)) for n, small, x in grids if n == name] for name, *_ in grids}
    few, more, (other, groups) = sizes["frame"]
    assert (few, more) == ((True, 5), (True, 40))
    assert not other
    assert groups < 40
    assert [small for small, _ in sizes["scans"]] == [False, False, False]
    assert sizes["eight"] == [(False, 2)]


#: what follows depends on all of a row; rows share nothing
SOFTMAX = """
#include <math.h>
#include <stdio.h>
static float in[4][65][37], out[4][65][37];
static void softmax(int n, int m, int k)
{
#pragma acc parallel loop collapse(2)
  for (int b = 0; b < n; b++)
    for (int t = 0; t < m; t++) {
      float most = -1000, sum = 0;
      for (int i = 0; i < k; i++)
        if (in[b][t][i] > most) most = in[b][t][i];
      for (int i = 0; i < k; i++) {
        out[b][t][i] = in[b][t][i] - most;
        sum += out[b][t][i];
      }
      for (int i = 0; i < k; i++) out[b][t][i] -= 2 * sum;
    }
}
int main(void)
{
  int wrong = 0;
  for (int b = 0; b < 4; b++)
    for (int t = 0; t < 65; t++)
      for (int i = 0; i < 37; i++) in[b][t][i] = (b * 7 + t * 5 + i * 3) % 16;
  softmax(4, 65, 37);
  for (int b = 0; b < 4; b++)
    for (int t = 0; t < 65; t++) {
      float most = -1000, sum = 0;
      for (int i = 0; i < 37; i++) most = in[b][t][i] > most ? in[b][t][i] : most;
      for (int i = 0; i < 37; i++) sum += in[b][t][i] - most;
      for (int i = 0; i < 37; i++) wrong += out[b][t][i] != in[b][t][i] - most - 2 * sum;
    }
  printf("%d\\n", wrong);
}
"""


@pytest.mark.parametrize("flags", ["-O2", "-Ofast"])
def test_rows_of_few_by_few_iterations_keep_all_cores_busy(flags, tmp_path):
    """Each of them runs loops of its own, by vectors along these or of several rows."""
    source = tmp_path / "f.c"
    source.write_text(SOFTMAX)
    done = run(built(source, tmp_path, flags, "-march=x86-64-v3"), ACCSHARE_NOTIFY="1", **WITHOUT_OPENCL)
    assert done.stdout == "0\n"
    (grid,) = re.findall(r"grid=(\d+)x(\d+)x1", done.stderr)
    assert int(grid[0]) * int(grid[1]) >= 32
    (said,) = [
        line
        for line in accshare("explain", "--acc-target=native", flags, "-march=x86-64-v3", source).stdout.splitlines()
        if "kernel softmax" in line
    ]
    assert "not in vectors" not in said


def test_the_report_says_which_indices_are_looked_at():
    """None that a loop reads under a condition, or behind which an iterator goes on."""
    report = explained(OWN["indices"], "--acc-target=native")
    found = {r["function"]: [(one["array"], one["reached"]) for one in r["looks"]] for r in report["regions"]}
    assert found == {
        "times": [("begin", ["value", "column"]), ("column", ["x"])],
        "times_members": [("m->begin", ["m->column", "m->value"]), ("m->column", ["x"])],
        "ranges": [("begin", ["x"]), ("end", ["x"])],
        "embed": [("which", ["table"])],
        "edges": [("mark", ["x"]), ("step", ["x"])],
        "chosen": [],
        "behind": [],
    }


def test_rows_are_not_looked_at_where_a_region_is_too_small(tmp_path):
    """That takes longer than the region."""
    (tmp_path / "rows.c").write_text(ROWS)
    binary = built(tmp_path / "rows.c", tmp_path, "-O1")
    for columns, reason in (
        (100, "smaller than pays off"),
        (10_000_000, "rows that are written overlap others in memory"),
    ):
        done = run(binary, str(columns), ACCSHARE_NOTIFY="1", ACCSHARE_BREAK_EVEN="1", ACCSHARE_LEARN="off")
        assert done.stdout == "2\n"
        assert f'reason="{reason}"' in done.stderr


def test_data_of_another_file_stay_in_the_programs_memory(tmp_path):
    """Its directives come first, and open no OpenCL device."""
    compile_ = ("--acc-target=native", "-O1", "-c", HERE / "apart.c", "-o")
    for words in (("main.o",), ("work.o", "-DWORK")):
        assert accshare_cc(*compile_, *words, cwd=tmp_path).returncode == 0
    assert accshare_cc("main.o", "work.o", "-o", "program", cwd=tmp_path).returncode == 0
    done = run(tmp_path / "program", ACCSHARE_NOTIFY="3")
    assert (done.stdout, len(launches(done))) == ("0\n", 1)
    assert "transfer" not in done.stderr


#: says which instruction sets the processor has
LEVELS = """
#include <stdio.h>
int main(void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports("x86-64-v4")) puts("native-v4");
  if (__builtin_cpu_supports("x86-64-v3")) puts("native-v3");
  if (__builtin_cpu_supports("x86-64-v2")) puts("native-v2");
#endif
  return 0;
}
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is one version")
def test_the_best_version_that_the_processor_has_runs(tmp_path):
    (tmp_path / "levels.c").write_text(LEVELS)
    subprocess.run(["gcc", "levels.c", "-o", "levels"], cwd=tmp_path, check=True)
    has = subprocess.run([tmp_path / "levels"], capture_output=True, text=True, check=True).stdout.split()
    binary = built(HERE.parent.parent / "samples/gemm.c", tmp_path, "-O1")
    found = launches(run(binary, ACCSHARE_NOTIFY="1", ACCSHARE_BREAK_EVEN="0"))
    assert found
    assert set(found) == set(has[:1])


def test_a_stencil_has_one_remainder_of_which_no_vectors_are_made():
    """However many rows are side by side: compilers spend most of their time on such code, and it hardly runs."""
    sample = HERE.parent.parent / "samples/hotspot.c"
    kernels = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", sample).stdout
    assert "conflict" in kernels
    assert len(re.findall(r"here = now\[", kernels)) == 1
    assert re.search(r'for \(.*\n *__asm__ volatile\(""\);\n(#.*\n)* *here = now\[', kernels)


def test_partial_tiles_of_a_product_run_the_code_of_whole_ones():
    """What is packed has room for them, so that there is one loop for each number of vectors, and one for single rows:
    compilers took most of their time for a chain of ever smaller ones."""
    sample = HERE.parent.parent / "samples/gemm.c"
    kernels = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", sample).stdout
    rows = r" \+= (?:__acc_)?A(?:_at\d)?\["
    assert len(re.findall(rows, kernels)) == 3
    assert len(re.findall(r"^void \w+_tile\d\(", kernels, re.MULTILINE)) == 3
    assert "&__acc_B_local_at0[j_nth * 8]" in kernels  # whatever the row of the strip
    wide = accshare("emit", "--kernel", "--acc-target=native", "-march=x86-64-v4", sample).stdout
    assert len(re.findall(rows, wide)) == 4


POINTS = """
void sweep(int n, float a[restrict 500][300], float b[restrict 500][300])
{
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < 299; j++)
      b[i][j] = 0.2f * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}
"""


def test_rows_that_lie_constants_apart_are_addressed_from_one_place(tmp_path):
    """Where arrays have constant sizes, a stencil's loop over vectors moves one address of each and nothing else."""
    (tmp_path / "points.c").write_text(POINTS)
    kernels = accshare("emit", "--kernel", "--acc-target=native", "-march=x86-64-v4", tmp_path / "points.c").stdout
    row = r"(?:const )?float \*(__acc_\w_at0) = \w \+ \(.*\);\n"
    assert sorted(re.findall(row, kernels)) == ["__acc_a_at0", "__acc_b_at0"]
    assert {"&__acc_a_at0[300L]", "&__acc_b_at0[300L]"} <= set(re.findall(r"&__acc_\w_at0\[\d+L\]", kernels))


def test_elements_that_stay_are_loaded_and_stored_where_they_are():
    """Not by way of all elements that a tile has room for: a small matrix has but a few of them."""
    kernels = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", OWN["products"]).stdout
    kept = re.findall(r"(.*)\n(?:#.*\n)*.*(?:c_own\[.*\] = c\[|c\[.*\] = c_own\[)", kernels)
    assert len(kept) == 8  # before and after the strips of four products
    assert all(re.search(r"for \(int j = .* j <= .*n - 1", around) for around in kept), kept
    assert "_lanes[" not in kernels  # side by side where vectors are, whichever loop is inside


def test_panels_across_rows_are_packed_in_squares():
    """Stored one by one, what lies in a row goes to lines of the panel that compete for the same sets of the cache."""
    kernels = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", OWN["products"]).stdout
    turned = re.findall(r"\*\(__acc_(\w+)_u \*\)&b_local\[.*\] = (.*)b_transposed\[", kernels)
    assert turned == [("float8", ""), ("double4", "(double)2 * ")]


def test_rows_of_loops_have_one_code_however_many_a_group_has():
    """Sixteen copies of it took gcc ten times as long, and ran no faster."""
    root = HERE.parent.parent
    life = root / "benchmarks/everyday/life.c"
    kernels = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", "-I", root / "samples", life).stdout
    assert "unroll 16" not in kernels
    assert len(re.findall(r"for \(int y = ", kernels)) == 1


def test_data_on_a_device_that_something_else_opened_come_home(tmp_path):
    """One file has kernels for OpenCL, and leaves data on the device; the other has native ones."""
    (tmp_path / "device.c").write_text("""
void keep(int n, int *a)
{
#pragma acc enter data copyin(a[0:n])
#pragma acc parallel loop present(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
""")
    (tmp_path / "native.c").write_text("""
#include <stdio.h>
void keep(int n, int *a);
int main(void)
{
    int a[100];
    for (int i = 0; i < 100; i++)
        a[i] = i;
    keep(100, a);
#pragma acc parallel loop present(a)
    for (int i = 0; i < 100; i++)
        a[i] *= 2;
#pragma acc exit data copyout(a)
    printf("%d %d\\n", a[0], a[99]);
    return 0;
}
""")
    for name, target in (("device", "generic-cpu"), ("native", "native")):
        done = accshare_cc(f"--acc-target={target}", "-c", f"{name}.c", "-o", f"{name}.o", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert accshare_cc("device.o", "native.o", "-o", "both", cwd=tmp_path).returncode == 0
    for zero_copy in ("1", "0"):
        done = run(tmp_path / "both", ACCSHARE_NOTIFY="1", ACCSHARE_ZERO_COPY=zero_copy)
        assert done.stdout == "2 200\n", done.stderr
        assert len(launches(done)) == 1


def test_the_user_says_where_regions_run(tmp_path):
    binary = built(OWN["nests"], tmp_path)
    for wish in ({"ACC_DEVICE_TYPE": "host"}, {"ACCSHARE_OFFLOAD": "disabled"}):
        done = run(binary, ACCSHARE_NOTIFY="1", **wish)
        assert (done.stdout.splitlines(), launches(done)) == (stated(OWN["nests"], "prints"), [])
    check(OWN["nests"], binary, ACCSHARE_OFFLOAD="mandatory", **WITHOUT_OPENCL)
    refused = run(binary, ACCSHARE_OFFLOAD="mandatory", ACC_DEVICE_TYPE="gpu")
    assert refused.returncode == 3
    assert "no kernels for this processor, or for the chosen type of device" in refused.stderr


OLD = """#!/bin/sh
# a gcc that has not heard of vectors
for word; do
  case $word in
    *.i) if grep -E 'vector_size|__builtin_(ia32|shuffle|convert)|target[(]' "$word"; then exit 1; fi ;;
  esac
done
exec gcc -w -U__GNUC__ -D__GNUC__=11 "$@"
"""


OF_1990 = """#include <stdio.h>
#define N 70
static float a[N][N], b[N][N], c[N][N];
static double moved(double x, int times)
{
  int k;
  for (k = times; k > 0; k--)
    x = x / 2 + k;
  return x;
}
int main(void)
{
  int i, j, k, longest = 0;
  unsigned u;
  double whole = 0;
  float sum;
  static double rows[N];
#pragma acc kernels
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      a[i][j] = (i + j) % 3;
      b[i][j] = (i - j) % 5;
    }
#pragma acc kernels
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      sum = 0;
      for (k = 0; k < N; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
#pragma acc parallel loop
  for (i = 0; i < N; i++) {
    rows[i] = moved(c[i][3], i % 7);
    for (u = N - 1; u > 0; u--)
      rows[i] += c[i][u];
  }
#pragma acc parallel loop reduction(+:whole) reduction(max:longest)
  for (i = 0; i < N; i++) {
    int turns = 0, at = i;
    while (at > 1) {
      at = at % 2 ? 3 * at + 1 : at / 2;
      turns++;
    }
    longest = turns > longest ? turns : longest;
    whole += rows[i];
  }
  printf("%.3f %d\\n", whole, longest);
  return 0;
}
"""


@pytest.mark.parametrize("compiler", [name for name in ("gcc", "clang") if shutil.which(name)])
@pytest.mark.parametrize("standard", ["-std=gnu89 -march=native", "-ansi -pedantic-errors -Wall -Wextra -Werror"])
def test_programs_of_before_c99_have_them(compiler, standard, tmp_path):
    (tmp_path / "of_1990.c").write_text(OF_1990)
    words = [*standard.split(), "-O1", "of_1990.c"]
    subprocess.run([compiler, *words, "-w", "-o", "plain"], cwd=tmp_path, check=True)
    done = accshare_cc(*words, "-o", "ours", cwd=tmp_path, env={**os.environ, "ACCSHARE_CC": compiler})
    assert (done.returncode, done.stderr) == (0, "")
    found = run(tmp_path / "ours", ACCSHARE_NOTIFY="1", ACCSHARE_OFFLOAD="mandatory", **WITHOUT_OPENCL)
    assert found.stdout == run(tmp_path / "plain").stdout
    assert len({line.split()[3] for line in found.stderr.splitlines() if 'device="native"' in line}) == 4


@pytest.mark.parametrize("program", telling({"numbers"}, [*OWN, "segments", "array_sums", "histograms"]))
def test_compilers_without_vectors_get_plain_c(program, tmp_path):
    old = tmp_path / "old-gcc"
    old.write_text(OLD)
    old.chmod(0o755)
    binary = built(PROGRAMS[program], tmp_path, "-O1", ACCSHARE_CC=str(old))
    check(PROGRAMS[program], binary, vectors=False, **WITHOUT_OPENCL)


def test_local_memory_is_not_forced_on_native_kernels(tmp_path):
    done = accshare("explain", "-v", "--acc-target=native", "--acc-share=force", OWN["nests"])
    assert "[ACC511]" in done.stdout
    check(OWN["nests"], built(OWN["nests"], tmp_path, "--acc-share=force"))


@pytest.mark.thorough
def test_verify_compares_native_kernels_with_the_hosts_loops(tmp_path):
    right = accshare("verify", "--acc-target=native", OWN["nests"], env={**os.environ, **WITHOUT_OPENCL})
    assert right.returncode == 0, right.stdout
    assert "6 of 6 regions give the host's answer" in right.stdout
    one = accshare("verify", "--acc-target=native", "-mavx2", OWN["nests"], env={**os.environ, **WITHOUT_OPENCL})
    assert one.returncode == 0, one.stdout


def test_verify_finds_a_native_kernel_that_is_wrong(tmp_path):
    """The host compiler is one that makes sums differences in kernels."""
    (tmp_path / "sum.c").write_text("""
void add(int n, int a[n], int b[n])
{
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] = a[i] + b[i];
}
""")
    broken = tmp_path / "broken-cc"
    broken.write_text("""#!/bin/sh
for word; do case $word in *native*.i) sed -i 's/= a\\[i\\] + b\\[i\\]/= a[i] - b[i]/' "$word";; esac; done
exec cc "$@"
""")
    broken.chmod(0o755)
    done = accshare("verify", "--acc-target=native", tmp_path / "sum.c", env={**os.environ, "ACCSHARE_CC": str(broken)})
    assert done.returncode == 1, done.stdout
    assert "WRONG: add_l4" in done.stdout


def test_verify_compiles_with_the_flags_of_the_user(tmp_path):
    """But for those that are for whole programs."""
    (tmp_path / "twice.c").write_text("""
void twice(int n, int a[n])
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] *= FACTOR;
}
""")
    spy = tmp_path / "spy-cc"
    spy.write_text('#!/bin/sh\ncase "$*" in *native*.i*) echo "$*" >> told;; esac\nexec cc "$@"\n')
    spy.chmod(0o755)
    flags = ("-O3", "-mavx2", "-fsanitize=address", "-flto", "-DFACTOR=2")
    environment = {**os.environ, "ACCSHARE_CC": str(spy)}
    done = accshare("verify", "--acc-target=native", *flags, "twice.c", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout
    told = (tmp_path / "told").read_text().split()
    assert {"-O3", "-mavx2"} <= set(told)
    assert not {"-fsanitize=address", "-flto"} & set(told)


def test_caches_are_those_of_the_processor_that_the_program_is_compiled_for(tmp_path):
    nests = str(OWN["nests"])
    assert read_file(nests, ["-O2"])[1].machine.caches == (0, 0)
    here = (processor.cache(1), processor.cache(2))
    assert read_file(nests, ["-mtune=generic", "-march=native"])[1].machine.caches == here
    assert read_file(nests, ["-march=native", "-march=x86-64"])[1].machine.caches == (0, 0)
    (large,) = native_models(HostMachine(vector=32, caches=(48 << 10, 4 << 20)))
    (typical,) = native_models(HostMachine(vector=32))
    assert (large.l1_bytes, large.l2_bytes, large.local_bytes) == (48 << 10, 4 << 20, 1 << 20)
    assert typical.l2_bytes < large.l2_bytes


def test_iterations_that_go_their_own_ways_do_so_in_vectors(tmp_path):
    """All but what computes too little, and what looks up elements that each iteration finds for itself."""
    words = ("--acc-target=native", "-std=c99", "-O1", "--acc-report", "-S", OWN["own_ways"], "-o", tmp_path / "own.s")
    done = accshare_cc(*words)
    regions = re.split(r"^(\w+):$", done.stderr, flags=re.MULTILINE)[1:]
    vectors = {
        name: "kernel" in text and " at once" in text for name, text in zip(regions[::2], regions[1::2], strict=True)
    }
    assert len(vectors) == 14
    assert {name for name, found in vectors.items() if not found} == {"hashes", "looked"}


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
def test_the_host_compiler_finds_vectors_where_indices_go_around(tmp_path):
    (tmp_path / "ring.c").write_text("""
void ring(int n, const float *a, float *b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
  for (int x = 0; x < n; x++)
    b[x] = a[(x + n - 1) % n] + a[x == n - 1 ? 0 : x + 1];
}

void life(int n, const unsigned char *a, unsigned char *b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
  for (int x = 0; x < n; x++) {
    int beside = a[(x + n - 1) % n] + a[(x + 1) % n];
    b[x] = beside == 2 || (beside == 1 && a[x]);
  }
}
""")
    words = ("--acc-target=native", "-O1", "-march=x86-64-v3", "-fopt-info-vec", "-c", "ring.c")
    done = accshare_cc(*words, cwd=tmp_path, env={**os.environ, "ACCSHARE_CC": "gcc"})
    assert {"5", "12"} <= set(re.findall(r"ring\.c:(\d+):.*loop vectorized", done.stderr)), done.stderr


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
def test_what_an_atomic_sum_was_stays_in_a_register(tmp_path):
    """It was stored in front of each exchange, which waits for stores, and loaded again."""
    (tmp_path / "sums.c").write_text("""
void sums(int n, int m, const int *to, const float *f, float *a, const double *d, double *b)
{
#pragma acc parallel loop copyin(to[0:n], f[0:n], d[0:n]) copy(a[0:m], b[0:m])
  for (int i = 0; i < n; i++) {
#pragma acc atomic update
    a[to[i]] += f[i];
#pragma acc atomic update
    b[to[i]] *= d[i];
  }
}
""")
    words = ("--acc-target=native", "-O2", "-march=x86-64-v3", "-S", "sums.c")
    done = accshare_cc(*words, cwd=tmp_path, env={**os.environ, "ACCSHARE_CC": "gcc"})
    assert done.returncode == 0, done.stderr
    computed = re.findall(r"^\.L\w+:\n([^:]*)\tlock cmpxchg", (tmp_path / "sums.s").read_text(), re.MULTILINE)
    assert computed
    assert "(" not in "".join(computed)


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
def test_halves_of_indices_are_shifts_as_in_the_program(tmp_path):
    """No index is negative there, and the compiler sees it."""
    (tmp_path / "wider.c").write_text("""
void wider(int h, int w, const float *a, float *b)
{
#pragma acc parallel loop copyin(a[0:h * w]) copyout(b[0:4 * h * w])
  for (int y = 0; y < 2 * h; y++)
    for (int x = 0; x < 2 * w; x++)
      b[y * 2 * w + x] = a[y / 2 * w + x / 2];
}
""")
    words = ("--acc-target=native", "-O2", "-march=x86-64-v3", "-S", "wider.c")
    assert accshare_cc(*words, cwd=tmp_path, env={**os.environ, "ACCSHARE_CC": "gcc"}).returncode == 0
    function = r"^__acc_wider_l\d+_\w+_0[^_]*:$.*?^\t\.cfi_endproc"
    (kernel,) = re.findall(function, (tmp_path / "wider.s").read_text(), re.MULTILINE | re.DOTALL)
    assert not re.search(r"\tshrl\t\$31", kernel)


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
def test_small_integers_stay_as_they_are_where_compilers_know_better(tmp_path):
    """Sums of products and of distances, which have instructions; quotients, which no vectors have or which compilers
    make of products."""
    source = tmp_path / "bytes.c"
    source.write_text("""
int products(int n, const unsigned char *a, const signed char *b)
{
  int sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(a[0:n], b[0:n])
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

int distances(int n, const unsigned char *a, const unsigned char *b)
{
  int sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(a[0:n], b[0:n])
  for (int i = 0; i < n; i++)
    sum += __builtin_abs(a[i] - b[i]);
  return sum;
}

void quotients(int n, const unsigned char *a, const unsigned char *b, unsigned char *c, unsigned char *d)
{
#pragma acc parallel loop copyin(a[0:n], b[0:n]) copyout(c[0:n])
  for (int i = 0; i < n; i++) {
    int most = a[i] > b[i] ? a[i] : b[i];
    c[i] = most ? 255 * (most - b[i]) / most : 0;
  }
#pragma acc parallel loop copyin(a[0:n], b[0:n]) copyout(d[0:n])
  for (int i = 0; i < n; i++)
    d[i] = a[i] * b[i] / 255;
}
""")
    regions = accshare("emit", "--acc-target=native", "--kernel", source).stdout.split("/* ---- ")[1:]
    assert {region.split("_")[0] for region in regions if "short)" in region} <= {"products"}
    words = ("--acc-target=native", "-O1", "-march=x86-64-v4", "-mavx512vnni", "-S", "bytes.c")
    assert accshare_cc(*words, cwd=tmp_path, env={**os.environ, "ACCSHARE_CC": "gcc"}).returncode == 0
    kernels = re.findall(
        r"^__acc_(\w+)_l\d+_\w+_0[^_]*:$(.*?)^\t\.cfi_endproc", source.with_suffix(".s").read_text(), re.M | re.S
    )
    found = {name: re.search(r"vpdpbusd|vpsadbw", text) for name, text in kernels}
    assert [found[name] is not None for name in ("products", "distances")] == [True, True]


def test_the_least_of_many_is_kept_in_registers_however_it_is_written(tmp_path):
    texts = []
    for name, update in {
        "condition": "if (a[i][k] + b[k][j] < c[i][j]) c[i][j] = a[i][k] + b[k][j]",
        "choice": "c[i][j] = a[i][k] + b[k][j] < c[i][j] ? a[i][k] + b[k][j] : c[i][j]",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "paths.c").write_text(f"""
void paths(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n])
{{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                {update};
}}
""")
        texts.append(accshare("emit", "--kernel", "--acc-target=native", "-mavx2", tmp_path / name / "paths.c").stdout)
    kernels = [re.sub(r"(?m)^#.*\n", "", text) for text in texts]
    assert "paths_l4_0" in kernels[0]
    assert kernels[0] == kernels[1]


def test_rows_of_small_blocks_stay_loops_along_which_compilers_find_vectors(tmp_path):
    (tmp_path / "blocks.c").write_text("""
void blocks(int n, const float (*a)[8][8], float (*b)[8][8], const float (*m)[8])
{
#pragma acc parallel loop copyin(a[0:n], m[0:8]) copyout(b[0:n])
  for (int k = 0; k < n; k++) {
    float t[8][8];
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) {
        t[i][j] = 0;
        for (int l = 0; l < 8; l++)
          t[i][j] += m[i][l] * a[k][l][j];
      }
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++)
        b[k][i][j] = t[i][j] + t[j][i];
  }
}
""")
    text = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", tmp_path / "blocks.c").stdout
    unrolled = re.findall(r"unroll 8\n(?:#.*\n)*\s*for \(int (\w)", text)
    assert set(unrolled) == {"l"}, text


def test_rows_of_sparse_matrices_are_added_up_in_vectors_where_that_is_allowed(tmp_path):
    """By a clause on the loop, or on one around it; not where the directive says seq, nor where nothing is said."""
    words = ("--acc-target=native", "-std=c99", "-O1", "--acc-report", "-S", OWN["sparse_rows"], "-o", tmp_path / "s.s")
    done = accshare_cc(*words)
    regions = re.split(r"^(\w+):$", done.stderr, flags=re.MULTILINE)[1:]
    vectors = {name for name, text in zip(regions[::2], regions[1::2], strict=True) if "along loops inside" in text}
    named = {name for name in regions[::2] if name.startswith("combined")}
    assert len(named) == 9
    assert vectors == {*named, "by_length"}


def test_nothing_is_written_out_where_that_gains_nothing(tmp_path):
    """Rows of a tile with loops inside, and single elements that lie apart."""
    (tmp_path / "apart.c").write_text("""
void several(int n, int m, const int *restrict row, const int *restrict c, const double *restrict v,
             const double *restrict b, double *restrict a)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    for (int k = row[i]; k < row[i + 1]; k++)
      for (int j = 0; j < m; j++)
        a[i * m + j] += v[k] * b[c[k] * m + j];
}

void indirect(int n, const int *restrict c, const double *restrict v, const double *restrict x, double *restrict y)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    y[i] += v[i] * x[c[i]];
}
""")
    text = accshare("emit", "--kernel", "--acc-target=native", "-mavx2", tmp_path / "apart.c").stdout
    assert "several" in text
    assert "indirect" in text
    assert "#pragma GCC unroll" not in text


#: tells whether the runtime is loaded when `main` begins, and how threads were counted of which it knows only then
BEGINS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
  char line[4096];
  int loaded = 0, sum = 0, *a = calloc(50000, sizeof *a);
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    loaded |= strstr(line, "libaccshare") != NULL;
  setenv("ACCSHARE_NOTIFY", "1", 1);
  setenv("ACCSHARE_THREADS", "3", 1);
  if (argc > 1) {
#pragma acc parallel loop
    for (int i = 0; i < 50000; i++)
      a[i] = i % 7;
  }
  for (int i = 0; i < 50000; i++)
    sum += a[i];
  printf("%d %d\\n", loaded, sum);
  (void)argv;
  return 0;
}
"""


def test_the_runtime_is_loaded_before_a_program_begins_and_asks_for_its_wishes_later(tmp_path):
    source, cache = tmp_path / "begins.c", tmp_path / "cache"
    source.write_text(BEGINS)
    binary = built(source, tmp_path)
    for arguments, printed in ((), "1 0\n"), (("region",), "1 149997\n"):
        environment = os.environ | {"ACCSHARE_CACHE_DIR": str(cache)}
        done = subprocess.run([binary, *arguments], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == printed
        assert [line.endswith("threads=3") for line in done.stderr.splitlines()] == [True] * len(arguments)
        assert not cache.exists()  # nothing was learned yet


COLUMNS = """
void columns(int n, int m, float A[restrict n][m], float v[restrict n], float y[restrict m])
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    float sum = y[i];
    for (int j = 0; j < n; j++)
      sum += A[j][i] * v[j];
    y[i] = sum;
  }
}
"""


def test_columns_that_are_added_up_go_down_the_rows_together(tmp_path):
    source = tmp_path / "columns.c"
    source.write_text(COLUMNS)
    words = ("--acc-target=native", "-march=native", source)
    assert ", all of a tile 4 rows at a time\n" in accshare("explain", *words).stdout
    text = accshare("emit", "--kernel", *words).stdout
    assert re.search(r"for \(int j = j_rows; j < j_rows \+ 4; j\+\+\)", text)
    assert not re.search(r"if \((\w+) < \1 \+ \d\)", text)
