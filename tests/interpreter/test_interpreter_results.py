"""Interpreted kernels give the host compiler's results, and nothing is wrong with them."""

import pytest
from interpreting import PROGRAMS, SAMPLES, compiled, function, sample
from tiers import every

ALL = sorted(path.stem for path in SAMPLES.glob("*.c"))
#: the largest integer that the programs' own arrays have room for
SIZES = {"bodies": 40, "data": 40, "found": 40, "legality": 33, "loops": 8, "reductions": 40, "scalars": 40, "small": 9}
FAST = {("scalars", "--acc-target=generic-cpu"): ()}
FAST |= dict.fromkeys([("data", "--acc-share=force"), ("loops", "--acc-share=off")], pytest.mark.thorough)
SHAPES = ["linearised", "channels"]
#: its loops run to ``i != n``, and never end for most inputs
ENDLESS = "steps_l44"


@pytest.mark.parametrize(
    ("target", "share"),
    every(
        2,
        [
            ("generic-gpu", "on"),
            ("generic-gpu", "off"),
            ("generic-cpu", "force"),
            ("generic-cpu", "off"),
            ("hd-7850", "on"),
        ],
    ),
)
@pytest.mark.parametrize("name", ALL)
def test_samples(name, target, share, tmp_path):
    region = sample(name, f"--acc-target={target}", f"--acc-share={share}")
    for case in region.small_cases(40 if target == "generic-cpu" else 130):
        run = region.run(case)
        assert run.faults == ()
        assert region.difference(case, run, tmp_path).ok, case


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["hotspot", "mv"])
def test_samples_that_are_judged_by_time(name, tmp_path):
    region = sample(name, "--acc-target=h100", "--acc-share=auto")
    for case in region.small_cases(130):
        run = region.run(case)
        assert run.faults == ()
        assert region.difference(case, run, tmp_path).ok, case


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        pytest.param(name, flag, marks=FAST.get((name, flag), pytest.mark.slow))
        for name in SIZES
        for flag in ("--acc-share=off", "--acc-share=force", "--acc-target=generic-cpu")
    ],
)
def test_programs(name, flag, tmp_path):
    regions = compiled(PROGRAMS / f"{name}.c", flag)
    assert regions
    for region in regions:
        if region.name == ENDLESS:
            continue
        for case in region.small_cases(SIZES[name]):
            run = region.run(case)
            assert run.faults == (), (region.name, str(case))
            assert region.difference(case, run, tmp_path).ok, (region.name, str(case))


@pytest.mark.parametrize("name", ["own_arrays", *(pytest.param(n, marks=pytest.mark.slow) for n in SHAPES)])
def test_shapes_of_everyday_programs(name, tmp_path):
    regions = compiled(PROGRAMS.parents[1] / "programs" / f"{name}.c", "--acc-target=generic-cpu")
    assert regions
    for region in regions:
        *_, case = region.small_cases(40)
        run = region.run(case)
        assert run.faults == (), (region.name, str(case))
        assert region.difference(case, run, tmp_path).ok, (region.name, str(case))


ARITHMETIC = """
#include <math.h>
struct pair { short low; double high; unsigned char bits[3]; };
static int steps(int x)
{
  int count = 0;
  for (;;) {
    if (x <= 1) return count;
    if (x % 7 == 6) break;
    x = x % 2 ? 3 * x + 1 : x / 2;
    count++;
    if (count > 30) return -count;
  }
  return 1000 + count;
}
void f(int n, const int *restrict a, const unsigned char *restrict b, const float *restrict x, long *restrict r,
       struct pair *restrict p, double *restrict d)
{
#pragma acc parallel loop copyin(a[0:n], b[0:n], x[0:n]) copyout(r[0:n], d[0:n]) copy(p[0:n])
  for (int i = 0; i < n; i++) {
    int window[2][3], sum = 0;
    struct pair own = p[i];
    for (int k = 0; k < 3; k++) {
      window[0][k] = a[i] >> k;
      window[1][k] = a[i] << k & 0xff;
    }
    for (int k = 0; k < 6; k++) {
      if (k == a[i] % 4) continue;
      if (k > b[i]) break;
      sum += window[k % 2][k / 2] * (k + 1);
    }
    unsigned wrapped = b[i] - 9u * a[i];
    signed char narrow = a[i] * 100;
    r[i] = sum + -7 / (b[i] + 1) + a[i] % 5 + (long)wrapped + narrow + (a[i] < -1u) + (~a[i] ^ b[i]) + steps(b[i] * 9);
    own.low += a[i];
    own.bits[2] = own.bits[b[i] % 3] - 1;
    own.high = x[i] != 0 && 1 / x[i] > 2 ? own.high : -own.high;
    p[i] = own;
    d[i] = fmaxf(x[i], 0.25f) + floor(x[i] * 3) + (int)(x[i] * 10) + fabs(x[i]) + (float)(1 / 3.0) + round(x[i] * 5);
    for (unsigned k = b[i]; k-- > 2;) d[i] += k;
    while (d[i] > 20) d[i] /= 2;
  }
}
"""


@pytest.mark.quick
def test_arithmetic_is_that_of_c(tmp_path):
    region = function(tmp_path, ARITHMETIC)
    case = region.case(n=300)
    run = region.run(case)
    assert run.faults == ()
    assert region.difference(case, run, tmp_path).ok


def test_host_loops_and_several_kernels(tmp_path):
    region = function(
        tmp_path,
        """
        void f(int n, int steps, float a[n][n], float b[n][n])
        {
        #pragma acc kernels copy(a[0:n][0:n]) create(b[0:n][0:n])
          for (int t = 0; t < steps; t++) {
            for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[j][i] + t;
            for (int i = t; i < n; i++) for (int j = 0; j < i; j++) a[i][j] = b[i][j] / 2;
          }
        }
        """,
    )
    case = region.case(n=37, steps=4)
    run = region.run(case)
    assert run.faults == ()
    assert region.difference(case, run, tmp_path).ok
    assert run.traffic("a").stores == sum(i for t in range(4) for i in range(t, 37))
