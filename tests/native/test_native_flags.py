"""Native kernels under what users say to their compilers: no warning is of our text, and the numbers stay."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess

import pytest
from commands import accshare_cc
from tiers import telling

#: a program that no compiler warns of: a product in register tiles, a stencil, a sum, a function on vectors
CLEAN = """\
#include <math.h>
#include <stdio.h>
enum { N = 70 };
static float a[N][N], b[N][N], c[N][N];
static double roots(int n, const float *x)
{
    double sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(x[0:n])
    for (int i = 0; i < n; i++)
        sum += (double)sqrtf(fabsf(x[i]));
    return sum;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (float)(i % 3);
            b[i][j] = (float)(j % 4);
        }
#pragma acc kernels loop copyin(a, b) copyout(c)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
#pragma acc kernels loop copyin(c) copy(a)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            a[i][j] = c[i - 1][j] + c[i + 1][j] + c[i][j - 1] + c[i][j + 1] - 4 * c[i][j];
#pragma acc kernels loop copy(a)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = a[i][j] * a[i][j];
    printf("%g %g %g\\n", (double)c[5][7], (double)a[5][7], roots(N, a[5]));
    return 0;
}
"""
#: a function without a region beside one with
LOOP = """\
void doubled(int n, float *restrict x)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        x[i] += x[i];
}
double sum(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
"""
ANSWER = "420 1.4161e+06 40464\n"
WARNINGS = (
    *("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wundef"),
    *("-Wcast-qual", "-Wcast-align", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wwrite-strings"),
)
FLAGS = (
    "-O0 -g",
    "-O1 -std=c99",
    "-Os -std=c11",
    "-O2 -march=native -std=gnu17",
    "-O3 -std=c2x",
    "-Oz -fPIC -fvisibility=hidden",
    "-Ofast -mavx2",
    "-O2 -ffast-math -fno-strict-aliasing",
    "-O2 -flto -ffunction-sections -Wl,--gc-sections",
    "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover",
    "-O1 -g -fsanitize=thread",
)
CASES = [(compiler, flags) for compiler in ("gcc", "clang", "gcc-11", "gcc-13", "clang-19") for flags in FLAGS]
#: of compilers that few have as theirs, only what differs most
SLOW = {
    *((compiler, flags) for compiler, flags in CASES if compiler[-1].isdigit() and flags not in FLAGS[2:5]),
    *(("clang", flags) for flags in (FLAGS[2], FLAGS[3], FLAGS[7])),
}


@pytest.mark.parametrize(
    ("compiler", "flags"),
    telling({("gcc", "-O2 -march=native -std=gnu17")}, CASES, slow=SLOW),
)
def test_no_warning_is_of_our_text(compiler, flags, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    if "-fsanitize" in flags and "clang" in compiler:
        pytest.skip("clang's sanitizers are packages of their own")
    (tmp_path / "clean.c").write_text(CLEAN)
    alone = (compiler, *WARNINGS, *flags.split(), "-fsyntax-only", "-xc", os.devnull)
    if subprocess.run([*alone, "-Wno-pedantic"], capture_output=True, check=False).returncode:
        pytest.skip(f"{compiler} itself refuses {flags}")
    words = ("--acc-target=native", *WARNINGS, *flags.split(), "clean.c", "-o", "clean", "-lm")
    built = accshare_cc(*words, cwd=tmp_path, env={**os.environ, "ACCSHARE_CC": compiler})
    assert (built.returncode, built.stderr) == (0, "")
    settings = {"ACCSHARE_NOTIFY": "1", "ACCSHARE_OPENCL": "none", "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(
        ["./clean"], cwd=tmp_path, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, ANSWER), ran.stderr
    assert ran.stderr.count("accshare: launch ") == 5, ran.stderr


@pytest.mark.skipif(platform.machine() != "x86_64", reason="of x86-64")
@pytest.mark.parametrize(
    ("flags", "aligned"),
    [("-O2", True), ("-O3 -falign-loops=32", False), ("-O2 -fno-align-loops", False), ("-Os", False), ("-O0", False)],
)
def test_loops_begin_lines_of_code_unless_flags_say_otherwise(flags, aligned, tmp_path):
    (tmp_path / "loop.c").write_text(LOOP)
    words = ("--acc-target=native", *flags.split(), "-S", "loop.c")
    made = accshare_cc(*words, cwd=tmp_path, env={**os.environ, "ACCSHARE_CC": "gcc"})
    assert made.returncode == 0, made.stderr
    body = re.search(r"^sum:$.*?^\t\.size\tsum", (tmp_path / "loop.s").read_text(), re.MULTILINE | re.DOTALL)
    assert bool(re.search(r"^\t\.p2align 6", body[0], re.MULTILINE)) == aligned
