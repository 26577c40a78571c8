"""accshare verify: right kernels pass, wrong ones are caught, and inputs are what a region can take."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from tiers import every, rarely

from accshare.run.opencl import default_device, misfit
from accshare.run.sources import compile_file
from accshare.run.verify import Summary, summarised, verify

pytestmark = pytest.mark.opencl
SAMPLES = Path(__file__).parents[2] / "samples"
PROGRAMS = sorted(SAMPLES.glob("*.c"))

SCALE = """\
void scale(int n, float *restrict a, const float *restrict b)
{
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
  for (int i = 0; i < n; i++)
    a[i] = 3.0f * b[i];
}
"""

PROGRAM_OF_EACH_KIND = """\
struct grid { int width, height; float rate; };
void eliminate(const struct grid *grid, float *A, int k)
{
#pragma acc kernels loop
  for (int i = k + 1; i < grid->height; i++)
    for (int j = 0; j < grid->width; j++)
      A[i * grid->width + j] -= grid->rate * A[k * grid->width + j];
}
void gather(int n, int m, const int *index, const double *a, double *b)
{
#pragma acc parallel loop copyin(index[0:n], a[0:m]) copyout(b[0:n])
  for (int i = 0; i < n; i++)
    b[i] = a[index[i]];
}
void sparse(int n, int nnz, const int *row, const int *col, const double *v, const double *x, double *y)
{
#pragma acc parallel loop copyin(row[0:n+1], col[0:nnz], v[0:nnz], x[0:n]) copyout(y[0:n])
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
      sum += v[k] * x[col[k]];
    y[i] = sum;
  }
}
void divide(int n, int k, long *a, const unsigned char *b, _Bool up)
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    a[i + k] = a[i] % 7 / b[i] + (up ? 1 : 2);
}
void sweep(int n, int steps, short *restrict a, const short *restrict b)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n; i++)
      a[i] = a[i] * t + b[i - 1];
}
struct body { double at[3]; char tag; long mass; };
void move(int n, struct body *restrict bodies, double dt)
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++) {
    bodies[i].at[1] += dt * (double)bodies[i].mass;
    bodies[i].tag += 1;
  }
}
"""


def verdicts(path, fixed=None, change=lambda text: text, flags=()):
    """The verdicts on all regions of a file, its OpenCL texts changed first."""
    regions = compile_file(str(path), flags).result.output.regions
    changed = [replace(r, variants=tuple(replace(v, opencl=change(v.opencl)) for v in r.variants)) for r in regions]
    return list(verify(changed, fixed or {}))


@pytest.fixture
def scale(tmp_path):
    (tmp_path / "scale.c").write_text(SCALE)
    return tmp_path / "scale.c"


@pytest.mark.thorough
@pytest.mark.parametrize("sample", rarely(3, [path.stem for path in PROGRAMS]))
def test_samples_verify_clean(sample):
    found = verdicts(SAMPLES / f"{sample}.c")
    assert len(found) >= 2
    for verdict in found:
        assert verdict.ok, verdict
        assert len(verdict.cases) >= 6


@pytest.mark.thorough
@pytest.mark.parametrize("target", rarely(2, ["generic-gpu", "generic-cpu"]))
def test_inputs_suit_every_kind_of_region(tmp_path, target):
    (tmp_path / "kinds.c").write_text(PROGRAM_OF_EACH_KIND)
    found = verdicts(tmp_path / "kinds.c", flags=[f"--acc-target={target}"])
    assert {v.region.partition("_")[0] for v in found} == {"eliminate", "gather", "sparse", "divide", "sweep", "move"}
    for verdict in found:
        assert verdict.ok, verdict
        assert len(verdict.cases) >= 3, verdict


@pytest.mark.parametrize(
    ("old", "new", "place"),
    every(
        3,
        [
            ("3.0f *", "3.001f *", "a["),
            ("a[i] =", "a[i - 1] =", "a: written outside of its bounds"),
            ("a += a_first;", "a += a_first + 1;", "a: written outside of its bounds"),
        ],
    ),
)
def test_a_wrong_kernel_is_caught(scale, old, new, place):
    found = verdicts(scale, change=lambda text: text.replace(old, new))
    assert len(found) == 2
    for verdict in found:
        assert not verdict.ok
        assert verdict.worst.place.startswith(place)


@pytest.mark.parametrize(
    ("sample", "target", "old", "new"),
    every(
        6,
        [
            # every step of both trees of the sum, and what feeds them
            *(
                ("reduction", "generic-gpu", f"if (sum_part_lane < {width}) {{", "if (false) {")
                for width in (128, 64, 32, 16, 8, 4, 2, 1)
            ),
            ("reduction", "generic-gpu", "sum_group += 256", "sum_group += 512"),
            ("reduction", "generic-cpu", "i_block + 15 <=", "i_block + 31 <="),
            ("reduction", "generic-cpu", "sum_part += sum_part_v", "sum_part -= sum_part_v"),
            ("reduction", "generic-cpu", "sum_group < sum_groups", "sum_group < 1"),
            ("gemm", "generic-gpu", "l < l_strip + 32", "l < l_strip + 31"),
            ("gemm", "generic-gpu", "min(k - 1, l_strip", "min(k - 2, l_strip"),
            ("gemm", "generic-gpu", "l_strip += 32", "l_strip += 64"),
            ("gemm", "generic-gpu", "= get_local_id(1)", "= 0"),
            ("gemm", "generic-cpu", "i_block + 5 <=", "i_block + 6 <="),
            ("gemm", "generic-cpu", "j_block + 8 <=", "j_block + 16 <="),
            ("gemm", "generic-cpu", "j_block += 16", "j_block += 32"),
            ("gemm", "generic-cpu", "i = i_rest", "i = 1 + i_rest"),
            ("gemm", "generic-cpu", "j = j_from", "j = 1 + j_from"),
            ("gemm", "generic-cpu", "l_strip += 128", "l_strip += 256"),
            ("gemm", "generic-cpu", "min(k - 1, l_strip", "min(k - 2, l_strip"),
            ("hotspot", "generic-cpu", "i_next += 2", "i_next += 4"),
            ("hotspot", "generic-cpu", "j_next += 8", "j_next += 16"),
            ("mv", "generic-gpu", "= get_group_id(0)", "= 0"),
        ],
    ),
)
def test_every_part_of_a_kernel_is_exercised(sample, target, old, new):
    """With a part broken, where it stands first or where it stands last, the verdict is bad."""
    flags = [f"--acc-target={target}", "-ffp-contract=off"]
    (region,) = compile_file(str(SAMPLES / f"{sample}.c"), flags).result.output.regions
    (text,) = region.variants
    broken = {text.opencl.replace(old, new, 1), new.join(text.opencl.rsplit(old, 1))}
    assert text.opencl not in broken
    for opencl in broken:
        (verdict,) = verify([replace(region, variants=(replace(text, opencl=opencl),))], {})
        assert not verdict.ok, verdict
        assert not verdict.unfit


@pytest.mark.thorough
def test_a_kernel_that_crashes_is_a_verdict_and_the_others_are_checked(tmp_path):
    path = tmp_path / "two.c"
    path.write_text(SCALE + SCALE.replace("scale", "scale_again").replace("3.0f", "4.0f"))
    found = verdicts(path, change=lambda text: text.replace("= 3.0f * b[i]", "= 3.0f * b[i + 100000000000L]"))
    assert [v.region.rpartition("_")[0] for v in found] == ["scale", "scale", "scale_again", "scale_again"]
    assert [v.variant for v in found] == ["generic-gpu", "generic-cpu"] * 2
    for verdict in found[:2]:
        assert not verdict.ok
        assert not verdict.unfit
        assert "SIG" in verdict.trouble
    assert found[2].ok
    assert found[3].ok


STALE = """\
void early(int n, float *restrict a, const float *restrict b)
{
#pragma acc parallel loop copyout(a[0:n]) copyin(b[0:n])
  for (int i = 0; i < n; i++)
    if (b[i] > 0.0f) a[i] = b[i]; else a[i] += 1.0f;
}
void between(int n, float *restrict a, float *restrict t)
{
#pragma acc kernels copy(a[0:n]) create(t[0:n])
  {
    for (int i = 0; i < n / 2; i++) t[i] = 2.0f * a[i];
    for (int i = 0; i < n / 2; i++) a[i] += t[i];
  }
}
"""


@pytest.mark.thorough
def test_what_is_not_sent_to_the_device_is_not_there(tmp_path):
    """A region that reads what copyout left on the host is wrong; what create holds afterwards is nobody's business."""
    (tmp_path / "stale.c").write_text(STALE)
    found = verdicts(tmp_path / "stale.c")
    assert [v.ok for v in found] == [False, False, True, True]
    assert all(v.worst.place.startswith("a[") for v in found[:2])


def test_a_kernel_that_does_not_compile_is_reported_with_the_compilers_words(scale):
    for verdict in verdicts(scale, change=lambda text: text.replace("float", "flaot")):
        assert not verdict.ok
        assert "flaot" in verdict.trouble


def test_sizes_can_be_fixed(scale):
    for verdict in verdicts(scale, {"n": 1234}):
        assert verdict.cases == ("n=1234",)
        assert verdict.ok


def test_a_variant_too_big_for_the_device_is_skipped(scale):
    device = default_device()
    (region,) = compile_file(str(scale), []).result.output.regions
    text = region.variants[0]
    for name, most in (("work_group", device.max_work_group_size), ("local_bytes", device.local_mem_size)):
        large = replace(text, needs=replace(text.needs, **{name: most + 1}))
        (verdict,) = verify([replace(region, variants=(large,))], {})
        assert verdict.unfit
        assert str(most + 1) in verdict.trouble
        assert misfit(replace(text.needs, **{name: most}), device) is None


def test_double_precision_inside_an_expression_is_a_need(scale):
    scale.write_text(SCALE.replace("3.0f * b[i]", "(float)(3.0 * b[i])"))
    (region,) = compile_file(str(scale), []).result.output.regions
    assert all(text.needs.fp64 for text in region.variants)
    scale.write_text(SCALE)
    (region,) = compile_file(str(scale), []).result.output.regions
    assert not any(text.needs.fp64 for text in region.variants)


@pytest.mark.quick
def test_the_command_says_ok_or_not(accshare, scale):
    done = accshare("verify", scale, "--size", "n=77", "--acc-target=generic-cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "n=77" in done.stdout
    assert "generic-gpu" not in done.stdout
    assert done.stdout.splitlines()[-1] == "1 of 1 region gives the host's answer"
    unchecked = accshare("verify", scale, "--size", "n=2147483647")
    assert unchecked.returncode == 1
    assert "0 of 1 region gives the host's answer; not checked: scale_l" in unchecked.stdout.splitlines()[-1]


@pytest.mark.thorough
def test_nothing_is_left_behind(accshare, scale):
    with tempfile.TemporaryDirectory() as scratch:  # a short path: sockets are made in it
        assert accshare("verify", scale, "--acc-target=generic-cpu", TMPDIR=scratch).returncode == 0
        assert not list(Path(scratch).glob("accshare-*"))


@pytest.mark.thorough
def test_the_summary_names_what_is_wrong(scale):
    right, large = verdicts(scale), verdicts(scale, fixed={"n": 2**31 - 1})
    wrong = verdicts(scale, change=lambda text: text.replace("3.0f *", "3.001f *"))
    name = right[0].region
    assert summarised([name], right) == Summary("1 of 1 region gives the host's answer", good=True)
    both = ", ".join(f"{name} ({verdict.variant})" for verdict in wrong)
    assert summarised([name], wrong) == Summary(f"0 of 1 region gives the host's answer; WRONG: {both}", good=False)
    mixed = summarised([name, "other"], [right[0], large[1]])
    assert mixed.text == f"0 of 2 regions give the host's answer; not checked: {name} ({large[1].variant}), other"
    assert not mixed.good


def test_a_size_that_no_loop_has_is_refused(accshare, scale):
    done = accshare("verify", scale, "--size", "m=77")
    assert done.returncode == 2
    assert "called m" in done.stderr
    assert "there are n" in done.stderr


def test_nothing_to_verify_is_bad_news(accshare, tmp_path):
    (tmp_path / "plain.c").write_text("int f(void) { return 1; }\n")
    done = accshare("verify", tmp_path / "plain.c")
    assert done.returncode == 1
    assert "nothing to verify" in done.stderr
