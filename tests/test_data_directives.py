"""The data environment, in whole programs: by native kernels, on a device that shares the host's memory, and on one
with memory of its own.

Where memory is shared, data directives move nothing and every program must give C's answer. With a memory of its own
(``ACCSHARE_ZERO_COPY=0``) the two copies drift apart until a directive says otherwise, as OpenACC has it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import accshare_cc

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
SEPARATE = {"ACC_DEVICE_TYPE": "opencl", "ACCSHARE_ZERO_COPY": "0"}
SHARED = {"ACC_DEVICE_TYPE": "opencl", "ACCSHARE_ZERO_COPY": "1"}
NATIVE = {"ACC_DEVICE_TYPE": "cpu"}
#: variables of ours that programs see
KEPT = {"ACCSHARE_CACHE_DIR", "ACCSHARE_BREAK_EVEN", "ACCSHARE_LEARN"}

#: what every program begins with: arrays, and a sum that notices every element
HEAD = """\
#include <stdio.h>
#include <stdlib.h>
enum { N = 1000 };
static double a[N], b[N], c[N];
static double sum(const double *x, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * (i % 7 + 1);
  return s;
}
static void fill(double *x, double first)
{
  for (int i = 0; i < N; i++)
    x[i] = first + i;
}
"""


@dataclass(frozen=True)
class Program:
    """A built program, and what ``accshare-cc`` said about it."""

    path: Path
    messages: str

    def run(self, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("ACC") or k in KEPT}
        return subprocess.run([self.path], env=clean | environment, capture_output=True, text=True, check=False)

    def prints(self, **environment: str) -> str:
        done = self.run(**environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def shares(self) -> str:
        """What it prints where there is one memory only."""
        natively = self.prints(**NATIVE)
        assert self.prints(**SHARED) == natively
        return natively

    def moves(self, **environment: str) -> list[tuple[str, str]]:
        """The transfers of a run between separate memories, as (name, direction)."""
        done = self.run(ACCSHARE_NOTIFY="2", **SEPARATE, **environment)
        assert done.returncode == 0, done.stderr
        lines = [dict(w.split("=", 1) for w in line.split() if "=" in w) for line in done.stderr.splitlines()]
        return [(words["name"], words["direction"]) for words in lines]

    def launches(self, **environment: str) -> int:
        """How many kernels a run launches."""
        done = self.run(ACCSHARE_NOTIFY="1", **environment)
        assert done.returncode == 0, done.stderr
        return done.stderr.count("accshare: launch")


Build = Callable[..., Program]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds one program of several sources; every one begins with `HEAD`."""

    def made(*sources: str, quiet: bool = True, level: str = "-O1") -> Program:
        files = []
        for number, text in enumerate(sources):
            path = tmp_path / f"part{number}.c"
            path.write_text(HEAD + text)
            files.append(str(path))
        unused = ["-Wno-unused-function", "-Wno-unused-variable"]
        plain = tmp_path / "plain"
        subprocess.run(["gcc", "-std=c99", "-O1", *files, "-o", plain], check=True)
        binary = tmp_path / "program"
        done = accshare_cc(*FLAGS, level, *unused, *files, "-o", binary)
        assert done.returncode == 0, done.stderr
        assert not (quiet and done.stderr), done.stderr
        return Program(binary, done.stderr)

    return made


def agrees(program: Program) -> str:
    """The program prints what plain gcc's does, natively, on shared and on separate memory; that output."""
    expected = Program(program.path.with_name("plain"), "").prints()
    assert program.shares() == expected
    assert program.prints(**SEPARATE) == expected
    assert program.prints(ACC_DEVICE_TYPE="host") == expected
    return expected


SEVERAL = """
int main(void)
{
  fill(a, 1), fill(b, 2);
#pragma acc data copyin(a) copy(b[0:N]) create(c)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      c[i] = 2 * a[i];
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] += c[i];
#pragma acc kernels loop
    for (int i = 0; i < N; i++)
      b[i] *= 3;
  }
  printf("%g\\n", sum(b, N));
  return 0;
}
"""


@pytest.mark.quick
def test_structured_data_around_several_regions(build):
    program = build(SEVERAL)
    agrees(program)
    assert program.launches(**SEPARATE) == 3
    assert program.moves() == [("a", "in"), ("b", "in"), ("b", "out")]


NESTED = """
static void step(int n, double *x, const double *y)
{
#pragma acc data copy(x[0:n]) copyin(y[0:n])
  {
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
      x[i] += y[i];
  }
}
int main(void)
{
  fill(a, 1), fill(b, 2);
#pragma acc data copy(a)
  {
    for (int k = 0; k < 3; k++)
      step(N, a, b);
#pragma acc data copyout(c)
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      c[i] = a[i];
    printf("%g\\n", sum(c, N));
  }
  printf("%g\\n", sum(a, N));
  return 0;
}
"""


@pytest.mark.thorough
def test_nested_data(build):
    program = build(NESTED)
    agrees(program)
    assert program.moves() == [("a", "in"), *[("y", "in")] * 3, ("c", "out"), ("a", "out")]


LIFETIME = [
    """
double *make(int n);
void scale(int n, double *x, double f);
void finish(int n, double *x);
int main(void)
{
  double *x = make(N);
  scale(N, x, 2);
  scale(N, x, 3);
  finish(N, x);
  printf("%g\\n", sum(x, N));
  free(x);
  return 0;
}
""",
    """
double *make(int n);
void finish(int n, double *x);
double *make(int n)
{
  double *x = malloc((size_t)n * sizeof *x);
  fill(x, 5);
#pragma acc enter data copyin(x[0:n])
  return x;
}
void finish(int n, double *x)
{
#pragma acc exit data copyout(x[0:n])
}
""",
    """
void scale(int n, double *x, double f);
void scale(int n, double *x, double f)
{
#pragma acc parallel loop present(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= f;
}
""",
]


def test_enter_and_exit_data_across_functions_and_translation_units(build):
    program = build(*LIFETIME)
    agrees(program)
    assert program.moves() == [("x", "in"), ("x", "out")]


UPDATES = """
int main(void)
{
  double *p = malloc(N * sizeof *p);
  fill(p, 1), fill(b, 0);
#pragma acc enter data copyin(p[0:N], b)
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    p[i] += 1;
#pragma acc update self(p[0:10])
#pragma acc update host(p[N-10:10])
  printf("%g %g\\n", sum(p, 10), sum(p + N - 10, 10));
  p[3] = 100, p[4] = 200, b[7] = 300;
#pragma acc update device(p[3:2], b[7])
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    b[i] += 2 * p[i];
#pragma acc update self(b)
#pragma acc update self(p) if_present
  printf("%g %g\\n", sum(b, N), sum(p, N));
#pragma acc exit data delete(p, b)
  free(p);
  return 0;
}
"""


@pytest.mark.quick
def test_updates_of_sections(build):
    program = build(UPDATES)
    agrees(program)
    outs = [("p", "out"), ("p", "out")]
    ins = [("p", "in"), ("b", "in")]
    assert program.moves() == [*ins, *outs, *ins, ("b", "out"), ("p", "out")]


STALE = """
int main(void)
{
  fill(a, 0);
#pragma acc data copyin(a) copyout(b)
  {
    a[0] = 1000;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i];
  }
  printf("%g\\n", b[0]);
#pragma acc data copy(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] = -1;
    printf("%g\\n", a[0]);
#pragma acc update self(a[0:1])
    printf("%g %g\\n", a[0], a[1]);
  }
  printf("%g\\n", a[1]);
  return 0;
}
"""


def test_copies_drift_apart_until_an_update(build):
    program = build(STALE)
    assert program.shares() == "1000\n-1\n-1 -1\n-1\n"
    assert program.prints(**SEPARATE) == "0\n1000\n-1 1\n-1\n"


SCALARS = """
int main(void)
{
  double all = 1, inside = 1;
  fill(a, 1);
#pragma acc data copy(all)
  {
#pragma acc parallel loop copyin(a) reduction(+:all)
    for (int i = 0; i < N; i++)
      all += a[i];
#pragma acc parallel loop copyin(a) reduction(+:inside)
    for (int i = 0; i < N; i++)
      inside += a[i];
    printf("%g %g\\n", all, inside);
  }
  printf("%g\\n", all);
  return 0;
}
"""


def test_a_scalar_in_a_data_directive_is_the_devices_until_its_end(build):
    program = build(SCALARS)
    assert program.shares() == "500501 500501\n500501\n"
    assert program.prints(**SEPARATE) == "1 500501\n500501\n"


UNSET = """
static double last(int n, const double *restrict x)
{
  double value;
#pragma acc kernels loop copyin(x[0:n])
  for (int i = 0; i < n; i++)
    if (i == n - 1)
      value = x[i];
  return value;
}
int main(void)
{
  double few[4] = {1, 2, 3, 4};
  printf("%g\\n", last(4, few));
  return 0;
}
"""


def test_a_scalar_that_only_the_region_sets_compiles_without_a_word(build):
    program = build(UNSET)
    assert program.messages == ""
    assert program.shares() == program.prints(**SEPARATE) == "4\n"


COUNTS = """
static void twice(double *x)
{
#pragma acc parallel loop present(x[0:N])
  for (int i = 0; i < N; i++)
    x[i] *= 2;
}
int main(void)
{
  fill(a, 1);
#pragma acc enter data copyin(a)
#pragma acc enter data copyin(a)
  twice(a);
#pragma acc exit data copyout(a)
  printf("%g\\n", a[1]);
  twice(a);
#pragma acc exit data copyout(a) finalize
  printf("%g\\n", a[1]);
#pragma acc enter data create(a)
#pragma acc enter data create(a)
#pragma acc exit data delete(a) finalize
#pragma acc exit data copyout(a)
#pragma acc update self(a) if_present
  printf("%g\\n", a[1]);
  return 0;
}
"""


def test_reference_counts_and_finalize(build):
    program = build(COUNTS)
    assert program.prints(**SEPARATE) == "2\n8\n8\n"
    assert program.shares() == "4\n8\n8\n"


WHOLE = """
static void half(double *p)
{
#pragma acc data present(p)
#pragma acc parallel loop copy(p[0:N])
  for (int i = 0; i < N; i++)
    p[i] /= 2;
}
int main(void)
{
  double *p = malloc(N * sizeof *p), *none = malloc(sizeof *none);
  fill(p, 4);
  none[0] = 5;
#pragma acc enter data copyin(p[0:N])
  half(p);
#pragma acc data copy(p) no_create(none)
  half(p);
  printf("%g\\n", p[1]);
#pragma acc update self(p)
  printf("%g\\n", p[1]);
#pragma acc exit data delete(p)
#pragma acc update self(p, none) if_present
#pragma acc exit data copyout(p, none)
  printf("%g %g\\n", p[1], none[0]);
  free(p), free(none);
  return 0;
}
"""


def test_a_pointer_without_a_section_is_what_is_present_there(build):
    program = build(WHOLE, quiet=False)
    (said,) = [line for line in program.messages.splitlines() if "ACC601" in line]
    assert "p is a pointer, so its extent isn't known here" in said
    assert program.prints(**SEPARATE) == "5\n1.25\n1.25 5\n"
    assert program.shares() == "1.25\n1.25\n1.25 5\n"
    assert program.moves() == [("p", "in"), ("p", "out")]


MISSING = {
    "present on data": ("#pragma acc data present(p)", "p is not present on the device"),
    "present section on data": ("#pragma acc data present(p[0:N])", "p is not present on the device"),
    "present on a region": ("#pragma acc parallel loop present(p[0:N])", "p is not present on the device"),
    "default(present)": ("#pragma acc parallel loop default(present)", "p is not present on the device"),
    "present by index": (
        "#pragma acc parallel loop present(p)\n  for (int i = 0; i < N; i++) p[(int)p[i]] = 1;",
        "p is not present on the device",
    ),
    "update": ("#pragma acc update self(p[0:N])", "update of p, which is not present on the device"),
    "update without section": ("#pragma acc update self(p)", "update of p, which is not present on the device"),
}


@pytest.mark.parametrize("memory", [SHARED, SEPARATE], ids=["shared", "separate"])
@pytest.mark.parametrize("case", MISSING)
def test_what_is_missing_ends_the_program_with_a_reason(build, case, memory):
    pragma, reason = MISSING[case]
    program = build(f"""
static void touch(double *p)
{{
{pragma}
  for (int i = 0; i < N; i++)
    p[i] += 1;
}}
int main(void)
{{
  touch(a);
  puts("not reached");
  return 0;
}}
""")
    line = HEAD.count("\n") + 4
    done = program.run(**memory)
    assert (done.returncode, done.stdout) == (3, "")
    assert reason in done.stderr
    assert f"part0.c:{line}: " in done.stderr or f"part0.c:{line + 1}: " in done.stderr
    assert program.prints(ACC_DEVICE_TYPE="host") == "not reached\n"


def test_data_that_is_present_in_part_is_explained(build):
    program = build("""
int main(void)
{
  fill(a, 1);
#pragma acc enter data copyin(a[0:N/2])
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    a[i] += 1;
#pragma acc exit data copyout(a[0:N/2])
  printf("%g\\n", sum(a, N));
  return 0;
}
""")
    agrees(program)
    assert "a is only partly present on the device" in program.run(**SEPARATE).stderr


FALLBACK = """
static int shown(int i) { return putchar('.') + i; }
static void add(int n, double *x, const double *y)
{
#pragma acc parallel loop independent
  for (int i = 0; i < n; i++)
    x[i] += y[i];
}
int main(void)
{
  fill(a, 1), fill(b, 2);
#pragma acc data copy(a, b)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] *= 2;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] = a[i] + shown(i);
    if (b[0] > 0)
#pragma acc parallel loop bogus
      for (int i = 0; i < N; i++)
        b[i] += a[i];
    else
      b[0] = 7;
    for (int k = 0; k < 9; k++)
#pragma acc kernels unknown(b)
    {
      double first = b[0];
      if (k == 2)
        break;
      for (int i = 0; i < N; i++)
        b[i] -= first / 2;
    }
    add(N - 1, a, a + 1);
#pragma acc parallel loop if(N < 10)
    for (int i = 0; i < 0; i++)
      a[i] = 0;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] += b[i];
  }
  printf("%g %g\\n", sum(a, N), sum(b, N));
  return 0;
}
"""


def test_regions_that_stay_on_the_host_inside_data(build):
    program = build(FALLBACK, quiet=False)
    for number in ("ACC103", "ACC204"):
        assert f"[{number}]" in program.messages
    agrees(program)
    said = program.run(ACCSHARE_NOTIFY="1", **SEPARATE).stderr
    assert 'reason="unknown clause bogus"' in said
    assert 'reason="unknown clause unknown"' in said
    assert "overlap in memory" in said
    assert said.count("accshare: launch") == 2
    done = program.run(ACCSHARE_OFFLOAD="mandatory", **SEPARATE)
    assert done.returncode == 3
    assert "can't run on a device: call of shown" in done.stderr


CONDITIONS = """
static void run(int on)
{
#pragma acc data copy(a) if(on)
  {
    a[1] = 50;
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma acc update self(a[0:1]) if(on)
    printf("%g %g\\n", a[0], a[1]);
  }
#pragma acc enter data copyin(a) if(!on)
#pragma acc exit data delete(a) if(!on)
#pragma acc parallel loop if(on)
  for (int i = 0; i < N; i++)
    a[i] += 1;
  printf("%g %g\\n", a[0], a[1]);
}
int main(void)
{
  run(0);
  run(1);
  return 0;
}
"""


@pytest.mark.thorough
def test_if_clauses(build):
    program = build(CONDITIONS)
    assert program.prints(**SEPARATE) == "1 51\n2 52\n3 50\n4 54\n"
    assert program.shares() == "1 51\n2 52\n3 51\n4 52\n"


CLAUSES = """
int main(void)
{
  double scale = 3, t = 9;
  fill(a, 1), fill(b, 0), fill(c, 0);
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N]) create(c[0:N]) firstprivate(scale) private(t)
  for (int i = 0; i < N; i++) {
    t = scale * a[i];
    c[i] = t + 1;
    b[i] = t + c[i];
  }
  printf("%g %g\\n", sum(b, N), scale);
#pragma acc data copy(a, b)
#pragma acc parallel loop default(present)
  for (int i = 0; i < N; i++)
    a[i] += b[i];
  printf("%g\\n", sum(a, N));
#pragma acc parallel loop copy(a[10:N-10]) no_create(b)
  for (int i = 10; i < N; i++)
    a[i] = 2 * a[i];
  printf("%g\\n", sum(a, N));
  return 0;
}
"""


def test_data_clauses_of_compute_constructs(build):
    program = build(CLAUSES)
    agrees(program)
    assert program.launches(**SEPARATE) == 3
    moves = [("a", "in"), ("b", "out"), ("a", "in"), ("b", "in"), ("a", "out"), ("b", "out"), ("a", "in"), ("a", "out")]
    assert sorted(program.moves()) == sorted(moves)


SMALL = """
static void add(int n, int m, double *x, const double *y)
{
#pragma acc parallel loop independent copy(x[0:m]) copyin(y[0:n])
  for (int i = 0; i < n; i++)
    x[i] += y[i];
}
int main(void)
{
  fill(a, 1), fill(b, 2);
  add(N, N / 2, a, b);
  printf("%g\\n", sum(a, N));
  add(N / 2, N, a, b);
  printf("%g\\n", sum(a, N));
  return 0;
}
"""


def test_a_section_smaller_than_what_the_loop_touches_stays_on_the_host(build):
    program = build(SMALL)
    agrees(program)
    said = program.run(ACCSHARE_NOTIFY="1", **SEPARATE).stderr.splitlines()
    assert ["host" in line for line in said] == [True, False]
    assert 'reason="the data clause does not cover what is used of x"' in said[0]
    assert program.run(ACCSHARE_OFFLOAD="mandatory").returncode == 3


ZERO = """
static int shown(int i) { return i == 3 && printf(".") < 0; }
static void work(int how)
{
  fill(b, 5), fill(c, 7);
  switch (how) {
  case 0:
#pragma acc data copyin(a) create(zero: b) copyout(zero: c[0:N])
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        b[i] += a[i];
#pragma acc parallel loop
      for (int i = 0; i < N / 2; i++)
        c[i] += b[i];
    }
    break;
  case 1:
#pragma acc parallel loop copyin(a) copyout(zero: c) create(zero: b)
    for (int i = 0; i < N; i++)
      b[i] += a[i], c[i] += b[i];
    break;
  case 2:
    if (how)
#pragma acc parallel loop copyin(a) copyout(zero: c) create(zero: b)
      for (int i = 0; i < N; i++)
        b[i] += a[i], c[i] += b[i] + shown(i);
    else
      puts("no");
    break;
  case 3:
#pragma acc kernels copyin(a) create(zero: b, c) copyout(c)
    {
      for (int i = 0; i < N; i++)
        b[i] += a[i], c[i] += b[i] + shown(i);
    }
    break;
  case 4:
#pragma acc parallel loop copyin(a) copyout(zero: c) create(zero: b) if(how < 4)
    for (int i = 0; i < N; i++)
      b[i] += a[i], c[i] += b[i];
    break;
  case 5:
#pragma acc data create(b) copyout(c)
    {
#pragma acc parallel loop
      for (int i = 0; i < N; i++)
        b[i] = c[i] = 1;
#pragma acc data no_create(b, c)
      a[0] = 1;
#pragma acc parallel loop copyin(a) copyout(zero: c) create(zero: b)
      for (int i = 0; i < N; i++)
        b[i] += a[i], c[i] += b[i];
    }
  }
  printf("%d %g\\n", how, sum(c, N));
}
int main(void)
{
  for (int i = 0; i < N; i++)
    a[i] = 1;
  for (int how = 0; how < 6; how++)
    work(how);
  return 0;
}
"""


@pytest.mark.thorough
def test_the_zero_modifier_fills_what_is_new(build):
    program = build(ZERO, quiet=False)
    ones = sum(i % 7 + 1 for i in range(1000))
    first = sum(i % 7 + 1 for i in range(500))
    last = sum((7 + i + 5 + i + 1) * (i % 7 + 1) for i in range(1000))
    expected = f"0 {first}\n1 {ones}\n.2 {ones}\n.3 {ones}\n4 {last:g}\n5 {3 * ones}\n"
    for environment in (SHARED, SEPARATE, {"ACC_DEVICE_TYPE": "host"}, {"ACCSHARE_BREAK_EVEN": "1"}):
        assert program.prints(**environment) == expected
    assert program.launches(**SEPARATE) == 5


ALWAYS = """
int main(void)
{
  fill(a, 1), fill(b, 0);
#pragma acc data copyin(a) copyout(b) create(capture: c)
  {
    a[0] = 100;
#pragma acc parallel loop copyin(always: a) copyout(alwaysout: b)
    for (int i = 0; i < N; i++)
      b[i] = a[i], c[i] = -1;
    printf("%g\\n", b[0]);
    b[0] = 7, b[1] = 8;
#pragma acc data copy(alwaysin: b[0:1])
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      b[i] += 1;
    printf("%g %g\\n", b[0], c[0]);
#pragma acc exit data copyout(always: b)
    printf("%g\\n", b[0]);
  }
  printf("%g %g\\n", b[0], b[1]);
  return 0;
}
"""


def test_what_is_always_copied_and_what_always_has_a_memory_of_its_own(build):
    program = build(ALWAYS)
    assert program.prints(**SEPARATE) == "100\n7 0\n8\n8 3\n"
    assert program.prints(**SHARED) == "100\n8 0\n8\n8 9\n"
    assert program.prints(**NATIVE) == "100\n8 -1\n8\n8 9\n"


DECLARED = [
    """
extern double later[];
double weight = 3, total;
const double table[4] = {1, 2, 3, 4};
#pragma acc declare create(later) copyin(weight, table)
#pragma acc declare device_resident(total)
void first(void);
void first(void)
{
#pragma acc parallel loop present(later)
  for (int i = 0; i < N; i++)
    later[i] = i * weight * table[0];
#pragma acc parallel
  total = 7;
}
double later[N];
""",
    """
extern double later[N], weight, total;
#pragma acc declare create(later) copyin(weight) device_resident(total)
void first(void);
static double scale(int n, double *x, int stop)
{
  double local[N];
  for (int i = 0; i < N; i++)
    local[i] = i;
#pragma acc declare copy(x[0:n]) copyin(local)
#pragma acc parallel loop present(x[0:n], local)
  for (int i = 0; i < n; i++)
    x[i] = 2 * local[i] + total;
  if (stop)
    return x[1];
#pragma acc parallel loop present(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] += total;
  return x[1];
}
int main(void)
{
  first();
  printf("%g ", later[5]);
#pragma acc update self(later)
  printf("%g ", later[5]);
  weight = 5;
#pragma acc update device(weight)
  first();
#pragma acc exit data delete(later) finalize
#pragma acc update self(later[0:10])
  printf("%g %d\\n", later[5], later[20] == 20 * (later[20] < 70 ? 3 : 5));
  printf("%g ", scale(N, a, 1));
  printf("%g ", a[1]);
  printf("%g ", scale(N, a, 0));
  printf("%g\\n", a[1]);
#pragma acc update self(a, b) if_present
  return 0;
}
""",
]


def test_declare_keeps_data_on_the_device(build):
    program = build(*DECLARED)
    assert program.prints(**SEPARATE) == "0 15 25 1\n0 9 9 16\n"
    assert program.shares() == "15 15 25 1\n9 9 16 16\n"
    assert program.prints(ACC_DEVICE_TYPE="host") == program.shares()
    assert program.prints(ACCSHARE_BREAK_EVEN="1", **SEPARATE).split()[-1] == "16"
    assert program.launches(**SEPARATE) == 7


LATEST = """
int main(void)
{
  int x = 1, n = N;
#pragma acc data copy(x, n) copyout(a)
  {
#pragma acc parallel
    x = 5;
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
      a[i] = x + i;
  }
  printf("%g %d\\n", a[3], x);
  return 0;
}
"""


@pytest.mark.thorough
def test_a_scalar_that_a_region_changed_is_read_where_it_is(build):
    program = build(LATEST)
    assert agrees(program) == "8 5\n"
    assert program.launches(**SEPARATE) == 2


ROWS = """
static double **table(int n, int m)
{
  double **x = malloc((size_t)n * sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = calloc((size_t)m, sizeof **x);
  return x;
}
static void add(int m, double *x, const double *y)
{
#pragma acc parallel loop present(x[0:m], y[0:m])
  for (int j = 0; j < m; j++)
    x[j] += y[j];
}
int main(void)
{
  enum { n = 4, m = 50 };
  double **x = table(n, m), **y = table(n, m), *z[2] = {a, a + 3}, *e[3] = {0, c, c};
  for (int i = 0; i < n; i++)
    fill(a, 1), fill(b, 2);
  fill(c, 0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i][j] = i, y[i][j] = j;
#pragma acc data copy(x[0:n][0:m]) copyin(y[0:n][0:m])
  {
    for (int i = 0; i < n; i++)
      add(m, x[i], y[i]);
#pragma acc update self(x[1:2][0:m])
    printf("%g %g %g %g\\n", x[0][7], x[1][7], x[2][7], x[3][7]);
  }
  printf("%g %g\\n", x[0][7], x[3][7]);
#pragma acc enter data copyin(z[0:2][0:10]) copyin(e[0:3][0:m])
  add(10, z[1], c);
  add(13, z[0], c);
#pragma acc exit data copyout(z[0:2][0:10]) delete(e[0:3][0:m])
#pragma acc update self(a, c) if_present
  printf("%g %g\\n", a[0], a[12]);
#pragma acc enter data create(x[0:n])
  for (int i = 0; i < n; i++) {
#pragma acc enter data copyin(x[i][0:m]) copyin(y[i:1][0:m])
  }
  for (int i = 0; i < n; i++)
    add(m, x[i], y[i]);
  for (int i = 0; i < n; i++) {
#pragma acc exit data copyout(x[i][0:m]) delete(y[i][0:m])
  }
#pragma acc exit data copyout(x[0:n])
  printf("%g %g\\n", x[1][7], x[3][7]);
  return 0;
}
"""


def test_the_rows_that_pointers_lead_to_move_one_by_one(build):
    program = build(ROWS)
    assert program.prints(**SEPARATE) == "0 8 9 3\n7 10\n1 34\n15 17\n"
    assert program.shares() == "7 8 9 10\n7 10\n1 34\n15 17\n"
    assert program.launches(**SEPARATE) == 10
