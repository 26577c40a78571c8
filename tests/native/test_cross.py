"""Programs for another kind of machine: native kernels by a cross compiler, with that machine's vectors."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc

HERE = Path(__file__).parent
RUNTIME = HERE.parents[1] / "runtime"
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
#: products, gathers, functions that have vectors
PROGRAMS = ("products", "sparse_rows", "function_forms")
FLAGS = ("-O2", "-ffp-contract=off", "-Wno-unknown-pragmas", "-w")

pytestmark = pytest.mark.skipif(
    not (shutil.which(COMPILER) and shutil.which(EMULATOR)), reason="gcc-aarch64-linux-gnu and qemu-user do it"
)

FUNCTIONS = """
#include <openacc.h>
#include <math.h>
#include <stdio.h>
enum { N = 10000 };
static float x[N], y[N];
int main(void)
{
  double worst = 0;
  for (int i = 0; i < N; i++)
    x[i] = 0.001f * i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    y[i] = expf(-x[i]) + sinf(x[i]);
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fabs(y[i] - (exp(-(double)x[i]) + sin(x[i]))));
  printf("%d %d\\n", worst < 3e-7, acc_get_num_devices(acc_device_host));
  return 0;
}
"""


def runtime(folder):
    """The folder with the runtime of the other machine."""
    options = ("-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_C_COMPILER={COMPILER}")
    for command in (["cmake", "-S", RUNTIME, "-B", folder, *options], ["cmake", "--build", folder, "-j2"]):
        subprocess.run(command, check=True, capture_output=True)
    return folder


def built(source, binary, *words):
    own = {**os.environ, "ACCSHARE_CC": COMPILER}
    done = accshare_cc("--acc-target=native", *FLAGS, source, *words, "-o", binary, "-lm", env=own)
    assert done.returncode == 0, done.stderr
    assert "internal error" not in done.stderr
    return binary


def run(binary, **variables):
    root = f"/usr/{COMPILER.removesuffix('-gcc')}"
    told = {"ACCSHARE_BREAK_EVEN": "0", "ACCSHARE_NOTIFY": "1", **variables}
    done = subprocess.run([EMULATOR, "-L", root, binary], env=os.environ | told, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, len(re.findall(r"^accshare: launch ", done.stderr, re.MULTILINE))


def test_programs_run_on_another_machine(tmp_path):
    """They print what the cross compiler's own do. This machine's runtime stays out of them: a static program links
    without one, and runs its loops; with the right one, it has kernels. One that calls OpenACC's routines takes the
    library it is given. All in one test, since the runtime takes a while to build."""
    other = runtime(tmp_path / "runtime")
    for name in PROGRAMS:
        source = HERE / "programs" / f"{name}.c"
        subprocess.run([COMPILER, *FLAGS, source, "-o", tmp_path / "plain", "-lm"], check=True)
        expected, _ = run(tmp_path / "plain")
        printed, launches = run(built(source, tmp_path / name), ACCSHARE_RUNTIME=str(other / "libaccshare.so"))
        assert printed == expected
        assert launches
    source = tmp_path / "functions.c"
    plain = FUNCTIONS.replace("#include <openacc.h>\n", "").replace("acc_get_num_devices(acc_device_host)", "1")
    source.write_text(plain)
    assert run(built(source, tmp_path / "alone", "-static")) == ("1 1\n", 0)
    own = (other / "libaccshare.a", "-Wl,-u,accshare_runtime", "-lpthread")
    assert run(built(source, tmp_path / "both", "-static", *own)) == ("1 1\n", 1)
    source.write_text(FUNCTIONS)
    calling = built(source, tmp_path / "calling", f"-L{other}", "-laccshare")
    assert run(calling, QEMU_SET_ENV=f"LD_LIBRARY_PATH={other}") == ("1 1\n", 1)
