"""Programs linked with -static or -static-pie can load no runtime: their loops run on the host."""

from __future__ import annotations

import platform
import shutil

import pytest

from accshare.driver.paths import runtime_library

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


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("form", ["-static", "-static-pie"])
def test_a_static_program_runs_on_the_host(acc, cc, compiler, form):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    for one in (acc, cc):
        one.write("static.c", SOURCE)
    linked = cc.run("static.c", form, "-Wno-unknown-pragmas", "-o", "prog")
    if linked.returncode:
        pytest.skip(f"no static C library: {linked.stderr}")
    done = acc.run("static.c", form, "-O1", "-Wall", "-Werror", "-o", "prog", ACCSHARE_CC=compiler)
    assert (done.returncode, done.stderr) == (0, "")
    for settings in (
        {},
        {"ACCSHARE_OFFLOAD": "disabled"},
        {"ACCSHARE_RUNTIME": runtime_library()},
        {"ACC_DEVICE_TYPE": "cpu"},
    ):
        ran = acc.execute("./prog", **settings)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, ANSWER, "")
    told = acc.execute("./prog", ACCSHARE_NOTIFY="1")
    assert (told.returncode, told.stdout) == (0, ANSWER)
    assert told.stderr == "accshare: a statically linked program can't load the runtime; the loops run on the host\n"
    mandatory = acc.execute("./prog", ACCSHARE_OFFLOAD="mandatory")
    assert (mandatory.returncode, mandatory.stdout) == (3, "")
    assert "a statically linked program can't load the runtime, and ACCSHARE_OFFLOAD=mandatory" in mandatory.stderr


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
