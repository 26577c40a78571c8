"""Programs linked with -static or -static-pie can load no runtime: accshare-cc makes it a part of them."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

import pytest
from tiers import telling

SOURCE = """\
#include <stdio.h>
#include <pthread.h>
enum { N = 100000 };
static int a[N], b[N];
static int sum(void)
{
  int total = 0;
#pragma acc parallel loop reduction(+:total) copyin(a)
  for (int i = 0; i < N; i++) total += a[i];
  return total;
}
static void *again(void *result)
{
  *(int *)result = sum();
  return result;
}
int main(void)
{
  for (int i = 0; i < N; i++) b[i] = i % 7;
#pragma acc data copyin(b) copyout(a)
  {
#pragma acc kernels loop
    for (int i = 0; i < N; i++) a[i] = 2 * b[i] + 1;
  }
  pthread_t thread;
  int other = 0;
  pthread_create(&thread, NULL, again, &other);
  pthread_join(thread, NULL);
  printf("%d %d\\n", sum(), other);
  return 0;
}
"""
ANSWER = "699990 699990\n"


FORMS = {
    "-static": "-static",
    "-static-pie": "-static-pie -fPIE",
    "optimised as a whole": "-static -flto",
    "without what is not used": "-static -ffunction-sections -fdata-sections -Wl,--gc-sections",
}
LAUNCHED = re.compile(r'^accshare: launch .* device="native"', re.MULTILINE)


@pytest.fixture
def static(acc, cc):
    """What makes programs of sources in the folder; skips where there is no static C library."""
    for one in (acc, cc):
        one.write("static.c", SOURCE)
    linked = cc.run("static.c", "-static", "-Wno-unknown-pragmas", "-o", "prog")
    if linked.returncode:
        pytest.skip(f"no static C library: {linked.stderr}")
    return acc


@pytest.mark.parametrize(
    ("compiler", "form"),
    telling({("gcc", "-static")}, [*(("gcc", form) for form in FORMS), ("clang", "-static")]),
)
def test_native_kernels_run_in_a_static_program(static, compiler, form):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    flags = ("--acc-target=native", *FORMS[form].split(), "-O1", "-Wall", "-Werror")
    done = static.run("static.c", *flags, "-o", "prog", ACCSHARE_CC=compiler)
    assert (done.returncode, done.stderr) == (0, "")
    ran = static.execute("./prog", ACCSHARE_NOTIFY="1", ACCSHARE_OFFLOAD="mandatory", ACCSHARE_THREADS="3")
    assert (ran.returncode, ran.stdout) == (0, ANSWER)
    assert len(LAUNCHED.findall(ran.stderr)) == 5
    for settings in ({"ACCSHARE_OFFLOAD": "disabled"}, {"ACC_DEVICE_TYPE": "host"}):
        ran = static.execute("./prog", **settings)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, ANSWER, "")


NAMES = """\
#include <openacc.h>
int env = 3, pool = 4;
int warn(int x) { return x + env + pool; }
int sum(void);
int main(void) { return sum() == 285 && warn(acc_get_num_devices(acc_device_host)) == 8 ? 7 : 8; }
"""
SUM = """\
int sum(void)
{
  int total = 0;
#pragma acc parallel loop reduction(+:total)
  for (int i = 0; i < 10; i++) total += i * i;
  return total;
}
"""


def test_objects_and_archives_are_linked_with_the_runtime(static):
    """Also where the program has functions and variables that are called as some of the runtime's."""
    static.write("names.c", NAMES)
    static.write("sum.c", SUM)
    static.ok("--acc-target=native", "-c", "sum.c", "-o", "sum.o")
    static.ok("-c", "names.c", "-o", "names.o")
    assert subprocess.run(["ar", "rcs", "sum.a", "sum.o"], cwd=static.folder, check=False).returncode == 0
    for last in ("sum.o", "sum.a"):
        static.ok("-static", "names.o", last, "-o", "prog")
        ran = static.execute("./prog", ACCSHARE_NOTIFY="1")
        assert ran.returncode == 7
        assert len(LAUNCHED.findall(ran.stderr)) == 2


def test_kernels_for_devices_leave_a_static_program_to_the_host(static):
    static.ok("--acc-target=generic-cpu", "static.c", "-static", "-o", "prog")
    ran = static.execute("./prog")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, ANSWER, "")
    mandatory = static.execute("./prog", ACCSHARE_OFFLOAD="mandatory")
    assert (mandatory.returncode, mandatory.stdout) == (3, "")


def test_who_links_without_accshare_runs_on_the_host(static, cc):
    static.ok("--acc-target=native", "-c", "static.c", "-o", "static.o")
    linked = subprocess.run(
        ["cc", "-static", static.folder / "static.o", "-o", "prog"], cwd=static.folder, capture_output=True, check=False
    )
    assert (linked.returncode, linked.stderr) == (0, b"")
    told = static.execute("./prog", ACCSHARE_NOTIFY="1")
    assert (told.returncode, told.stdout) == (0, ANSWER)
    assert "a statically linked program can't load the runtime (link it with accshare-cc); the loops" in told.stderr
    mandatory = static.execute("./prog", ACCSHARE_OFFLOAD="mandatory")
    assert (mandatory.returncode, mandatory.stdout) == (3, "")


BARE = """\
static int a[100];
__attribute__((force_align_arg_pointer)) void _start(void)
{
  int sum = 0;
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 100; i++)
    a[i] = i;
  for (int i = 0; i < 100; i++)
    sum += a[i];
  __asm__ volatile("syscall" : : "a"(231 /* exit_group */), "D"(sum == 4950 ? 7 : 8));
}
"""


def test_a_program_without_a_c_library_runs_on_the_host(acc):
    if platform.machine() != "x86_64":
        pytest.skip("it ends as programs for x86-64 do")
    acc.write("bare.c", BARE)
    acc.ok("-O1", "-Wall", "-Werror", "-c", "bare.c", "-o", "bare.o")
    for form in (["-nostdlib"], ["-nostdlib", "-static"]):
        acc.ok(*form, "bare.o", "-o", "prog")
        ran = acc.execute("./prog", ACCSHARE_OFFLOAD="mandatory")
        assert (ran.returncode, ran.stderr) == (7, "")
