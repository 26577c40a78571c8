"""Regions too small to gain run on the host, larger ones on the device, with the same results (docs/break-even.md)."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import accshare_cc

from accshare.device.probe import probe
from accshare.driver.paths import runtime_library

pytestmark = pytest.mark.opencl
FLAGS = ["-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
TINY, LARGE = "4", "300"
#: the platform whose CPU device works in the host's memory for sure; others may keep copies
POCL = "Portable Computing Language"
#: a device with memory of its own
SEPARATE = {"ACCSHARE_ZERO_COPY": "0"}
LINE = re.compile(
    r'accshare: host file=\S+ line=\d+ reason="smaller than pays off" host_us=([\d.e+-]+) device_us=([\d.e+-]+)'
)

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void multiply(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels loop copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
static float *numbers(int n)
{
  float *made = malloc(sizeof(float) * (size_t)n);
  for (int i = 0; i < n; i++)
    made[i] = (float)(i % 7);
  return made;
}
static void print(const float *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * (i % 5);
  printf("%.1f\\n", sum);
}
"""
ONCE = """
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1;
  float *a = numbers(n * n), *b = numbers(n * n), *c = numbers(n * n);
  multiply(n, a, b, c);
  print(c, n * n);
  return 0;
}
"""
MAPS = """
int main(void)
{
  float *a = numbers(16), *c = numbers(16);
  multiply(4, a, a, c);
  char line[4096];
  int opened = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    opened += strstr(line, "libaccshare") ? 0 : strstr(line, "OpenCL") != NULL;
  printf("%s\\n", opened ? "opened" : "untouched");
  return 0;
}
"""
#: by turns a region that is small and one that is large, on data that are present
TURNS = """
int main(void)
{
  enum { N = 300 };
  float *a = numbers(N * N), *b = numbers(N * N), *c = numbers(N * N);
#pragma acc data copyin(b[0:N*N]) copy(a[0:N*N], c[0:N*N])
  for (int t = 0; t < 3; t++) {
    multiply(N, a, b, c);
#pragma acc parallel loop
    for (int i = 0; i < 16; i++)
      a[i] = a[i] + 1 + (float)((int)c[i] % 3);
  }
  print(a, N * N);
  print(c, N * N);
  return 0;
}
"""
CLAUSE = """
int main(void)
{
  float *a = numbers(16);
#pragma acc parallel loop copy(a[0:16]) if(a[1] > 0)
  for (int i = 0; i < 16; i++)
    a[i] += 1;
  print(a, 16);
  return 0;
}
"""


#: regions of one line each; what follows says how their work grows with n
SHAPES = """
static void shapes(int n, const int *restrict first, float *restrict a, float *restrict b)
{
  int i, j, k, t;
#pragma acc parallel loop copy(a[0:n*n])
  for (i = 0; i < n; i++) a[i] += 1; /* row 1 */
#pragma acc parallel loop copy(a[0:n*n])
  for (i = 0; i < n; i += 3) a[i] += 1; /* third 1 */
#pragma acc parallel loop collapse(2) copy(a[0:n*n])
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) a[i * n + j] += 1; /* square 2 */
#pragma acc kernels loop copy(a[0:n*n])
  for (i = 0; i < n; i++) for (j = i; j < n; j++) a[i * n + j] += 1; /* triangle 2 */
#pragma acc parallel loop copy(a[0:n*n]) copyin(b[0:n*n])
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) a[i * n + j] += b[k * n + j]; /* cube 3 */
#pragma acc parallel loop copy(a[0:n*n]) copyin(first[0:n+1])
  for (i = 0; i < n; i++) for (j = first[i]; j < first[i + 1]; j++) a[i] += 1; /* data 1 */
#pragma acc kernels copy(a[0:n*n], b[0:n*n])
  for (t = 0; t < n; t++) {
    for (i = 1; i < n - 1; i++) a[i] = b[i - 1] + b[i + 1]; /* steps 2 */
    for (i = 1; i < n - 1; i++) b[i] = a[i];
  }
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1;
  int *first = calloc((size_t)n + 1, sizeof *first);
  float *a = numbers(n * n + 1), *b = numbers(n * n + 1);
  shapes(n, first, a, b);
  print(a, n * n);
  return 0;
}
"""


#: cores share the places that they take, and nothing of bins and a sum
MEETING = """
int main(int argc, char **argv)
{
  int n = (argc > 1 ? atoi(argv[1]) : 1) * 10000, bins[16] = {0}, taken[16] = {0}, most = 0;
  double sum = 0;
  float *a = numbers(n);
#pragma acc parallel loop copyin(a[0:n]) copy(taken) reduction(max:most)
  for (int i = 0; i < n; i++) {
    int was;
#pragma acc atomic capture
    was = taken[(int)a[i] & 15]++;
    most = was > most ? was : most;
  }
#pragma acc parallel loop copyin(a[0:n]) copy(bins)
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    bins[(int)a[i] & 15]++;
  }
#pragma acc parallel loop copyin(a[0:n])
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    sum += a[i];
  }
  printf("%d %d %.0f\\n", bins[3], most, sum);
  return 0;
}
"""


@dataclass(frozen=True)
class Program:
    """A program by accshare-cc, and the same by gcc."""

    path: Path
    plain: Path

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        kept = ("ACCSHARE_CACHE_DIR", "ACCSHARE_LEARN")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in kept}
        done = subprocess.run([self.path, *arguments], env=clean | settings, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done

    def told(self, *arguments: str, **settings: str) -> list[str]:
        """What each region did, which must come to what gcc's program prints: ``launch``, ``host``."""
        done = self.run(*arguments, ACCSHARE_NOTIFY="1", **settings)
        assert done.stdout == subprocess.run([self.plain, *arguments], capture_output=True, text=True).stdout
        return [line.split()[1] for line in done.stderr.splitlines()]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Program]:
    folder = tmp_path_factory.mktemp("programs")
    made: dict[str, Program] = {}

    def program(text: str, *options: str) -> Program:
        if text not in made:
            source, binary = folder / f"p{len(made)}.c", folder / f"p{len(made)}"
            source.write_text(HEAD + text)
            plain = binary.with_suffix(".gcc")
            subprocess.run(["gcc", *FLAGS, "-Wno-unknown-pragmas", source, "-o", plain], check=True)
            done = accshare_cc(*FLAGS, *options, source, "-o", binary)
            assert done.returncode == 0, done.stderr
            made[text] = Program(binary, plain)
        return made[text]

    return program


def test_size_decides_and_the_line_says_what_was_expected(build):
    program = build(ONCE)
    assert program.told(LARGE) == ["launch"]
    assert program.told(TINY) == ["host"]
    (line,) = program.run(TINY, ACCSHARE_NOTIFY="1").stderr.splitlines()
    here, there = map(float, LINE.fullmatch(line).groups())
    assert 0 < here < there


def test_a_place_that_cores_share_is_best_left_to_one(build):
    assert build(MEETING).told(LARGE) == ["host", *["launch"] * 3]


@pytest.mark.parametrize("settings", [{"ACCSHARE_OFFLOAD": "mandatory"}, {"ACCSHARE_BREAK_EVEN": "0"}])
def test_everything_runs_on_the_device_for_who_asks(build, settings):
    assert build(ONCE).told(TINY, **settings) == ["launch"]


def test_without_a_device_the_reason_is_that(build):
    for settings in ({"ACCSHARE_OFFLOAD": "disabled"}, {"ACC_DEVICE_TYPE": "host"}):
        (line,) = build(ONCE).run(TINY, ACCSHARE_NOTIFY="1", **settings).stderr.splitlines()
        assert next(iter(settings)) in line


def test_a_program_of_small_regions_leaves_devices_alone(build):
    assert build(MAPS).run().stdout == "untouched\n"
    assert build(MAPS).run(ACCSHARE_OFFLOAD="mandatory").stdout == "opened\n"


def test_the_profile_counts_what_was_too_small(build, tmp_path):
    report = tmp_path / "profile.json"
    program = build(ONCE)
    program.run(TINY, ACCSHARE_PROFILE=f"json:{report}")
    (region,) = json.loads(report.read_text())["regions"]
    assert (region["runs"], region["host_runs"]) == (0, 1)
    assert region["host_reasons"] == [{"reason": "smaller than pays off", "count": 1}]
    assert region["smaller"]["count"] == 1
    assert 0 < region["smaller"]["host_seconds"] < region["smaller"]["device_seconds"]
    program.run(LARGE, ACCSHARE_PROFILE=f"json:{report}")
    (region,) = json.loads(report.read_text())["regions"]
    assert (region["runs"], region["smaller"]) == (1, {"count": 0, "host_seconds": 0, "device_seconds": 0})
    table = program.run(TINY, ACCSHARE_PROFILE="1").stderr
    assert "on the host 1 times: smaller than pays off" in table
    assert re.search(r"expected for those smaller ones: 0\.\d+ seconds there, 0\.\d+ by kernels", table)


def test_host_and_device_take_turns_on_memory_they_share(build):
    program = build(TURNS)
    small = "host" if probe(runtime_library())[0].platform == POCL else "launch"
    assert program.told() == ["launch", small] * 3
    assert program.run().stdout == subprocess.run([program.plain], capture_output=True, text=True).stdout


def test_what_a_device_of_its_own_memory_holds_stays_there(build):
    assert build(TURNS).told(**SEPARATE) == ["launch", "launch"] * 3


def test_transfers_count_where_memory_is_apart(build):
    program, size = build(ONCE), "30"
    (near,) = program.run(size, ACCSHARE_NOTIFY="1").stderr.splitlines()
    (far,) = program.run(size, ACCSHARE_NOTIFY="1", **SEPARATE).stderr.splitlines()
    assert float(LINE.fullmatch(far)[2]) > float(LINE.fullmatch(near)[2])


def test_an_if_clause_is_not_judged_again(build):
    assert build(CLAUSE).told() == ["launch"]


def expected(program: Program, size: int) -> dict[str, tuple[float, float]]:
    """The seconds each of the `SHAPES` is expected to take on the host, and on a device, by name."""
    lines = (HEAD + SHAPES).splitlines()
    names = [re.search(r"/\* (\w+) \d \*/", line) for line in lines]
    found = {}
    for line in program.run(str(size), ACCSHARE_NOTIFY="1").stderr.splitlines():
        number, told = int(re.search(r"line=(\d+)", line)[1]), LINE.fullmatch(line)
        if told:
            number += names[number - 1] is None  # the loop around
            found[names[number - 1][1]] = tuple(map(float, told.groups()))
    return found


def test_work_grows_as_the_loops_do(build):
    program = build(SHAPES)
    small, double, none = (expected(program, n) for n in (16, 32, 0))
    growth = {name: int(power) for name, power in re.findall(r"/\* (\w+) (\d) \*/", SHAPES)}
    assert small.keys() == double.keys() == growth.keys()
    for name, power in growth.items():
        ratio = double[name][0] / small[name][0]
        assert 2 ** (power - 0.3) < ratio < 2 ** (power + 0.3), (name, ratio)
    assert all(here == 0 for here, _ in none.values())
    assert small["row"][0] < 4 * small["third"][0]
    assert small["triangle"][0] <= small["square"][0]
    assert double["steps"][1] > 30 * double["row"][1]


def test_what_outer_loops_change_counts_once(build):
    """Its variables are put in where they are used, which is no work for each element."""
    loops = """
int main(void)
{
  static float x[64], y[64][64];
  volatile int three = 3;
  int k = three;
#pragma acc parallel loop
  for (int c = 0; c < 64; c++) {
    int right = c % k, down = c / k / k;
    for (int i = 0; i < 64; i++)
      if (x[i] < (float)(right - down)) y[c][i] = x[i];
  }
#pragma acc parallel loop
  for (int c = 0; c < 64; c++)
    for (int i = 0; i < 64; i++)
      if (x[i] < (float)(c - k)) y[c][i] = x[i];
  return y[0][0] != 0;
}
"""
    told = [LINE.fullmatch(line) for line in build(loops).run(ACCSHARE_NOTIFY="1").stderr.splitlines()]
    divided, plain = (float(one[1]) for one in told)
    assert plain < divided < 1.5 * plain


FUNCTIONS = """
#include <math.h>
int main(void)
{
  static double x[64], y[64];
#pragma acc parallel loop
  for (int i = 0; i < 64; i++) y[i] = exp(x[i]);
#pragma acc parallel loop
  for (int i = 0; i < 64; i++) y[i] = pow(x[i], 0.3);
#pragma acc parallel loop
  for (int i = 0; i < 64; i++) y[i] = erfc(x[i]);
#pragma acc parallel loop
  for (int i = 0; i < 64; i++) y[i] = sin(x[i]);
#pragma acc parallel loop
  for (int i = 0; i < 64; i++) y[i] = sinf((float)x[i]);
  return y[0] != 0;
}
"""


def test_functions_cost_what_the_library_takes_for_them(tmp_path):
    source, binary = tmp_path / "f.c", tmp_path / "f"
    source.write_text(FUNCTIONS)
    assert accshare_cc(*FLAGS, source, "-o", binary, "-lm").returncode == 0
    told = Program(binary, binary).run(ACCSHARE_NOTIFY="1").stderr.splitlines()
    exp, pow_, erfc, sin, sinf = (float(LINE.fullmatch(line)[1]) for line in told)
    assert 1.8 * exp < pow_ < erfc
    assert 2.5 * sinf < sin < pow_


LEARNING = """
int main(int argc, char **argv)
{
  int n = atoi(argv[1]);
  float *a = numbers(n * n), *c = numbers(n * n);
  for (int t = 0; t < 9; t++) {
    memset(c, 0, sizeof(float) * (size_t)(n * n));
    multiply(n, a, a, c);
    print(c, n * n);
  }
  return argc > 9;
}
"""


def test_what_the_loops_took_is_measured(tmp_path, build):
    """Wherever that makes them run, the numbers are the same."""
    report = tmp_path / "profile.json"
    settings = {"ACCSHARE_LEARN": "on", "ACCSHARE_CACHE_DIR": str(tmp_path), "ACCSHARE_PROFILE": f"json:{report}"}
    program = build(LEARNING, "--acc-target=native")
    for size in (TINY, "60", "150"):
        expected = subprocess.run([program.plain, size], capture_output=True, text=True).stdout
        assert program.run(size, **settings).stdout == expected
        (region,) = json.loads(report.read_text())["regions"]
        assert region["runs"] + region["host_runs"] == 9
        (measured,) = region["measured"]
        assert (measured["host_seconds"] > 0) == (region["host_runs"] > 0)
        assert (measured["kernel_seconds"] > 0) == (region["runs"] > 0)
