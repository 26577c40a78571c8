"""The device's digits are the host's where the user forbids that operations are fused (docs/floating-point.md)."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from commands import accshare, accshare_cc
from tiers import telling

from accshare.run.sources import compile_file
from accshare.run.verify import summarised, verify

SOURCE = r"""
#include <stdio.h>
#include <string.h>
enum { N = 70, M = 2000 };
static double A[N][N], B[N][N], C[N][N], x[M], y[M], z[M];
static float f[M], g[M];
static int steps[N][N];

static double square(double v) { return v * v; }

/* every bit counts */
static unsigned long hash(const void *data, size_t bytes)
{
  unsigned long sum = 1;
  for (size_t i = 0; i < bytes; i++) sum = sum * 31 + ((const unsigned char *)data)[i];
  return sum;
}

int main(void)
{
  for (int i = 0; i < M; i++) {
    x[i] = 1.0 + i / 1619.0;
    y[i] = -(x[i] * x[i]);
    f[i] = (float)x[i];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) A[i][j] = x[i * 7 % 97], B[i][j] = x[i + 13 * j % 89];

#pragma acc parallel loop
  for (int i = 0; i < M; i++) z[i] = x[i] * x[i] + y[i];
  printf("rest %lx\n", hash(z, sizeof z));
#pragma acc parallel loop
  for (int i = 0; i < M; i++) z[i] = square(x[i]) - (x[i] * x[i] + 1e-9 * y[i]);
  printf("call %lx\n", hash(z, sizeof z));
#pragma acc parallel loop
  for (int i = 1; i < M - 1; i++) g[i] = 0.25f * f[i - 1] + 0.5f * f[i] + 0.3f * f[i + 1];
  printf("stencil %lx\n", hash(g, sizeof g));
#pragma acc kernels loop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
  printf("product %lx\n", hash(C, sizeof C));
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double re = 0, im = 0, cre = -0.75 + i * 1e-3, cim = 0.1 + j * 1e-3;
      int k = 0;
      for (; k < 300 && re * re + im * im < 4; k++) {
        double next = re * re - im * im + cre;
        im = 2 * re * im + cim, re = next;
      }
      C[i][j] = re, steps[i][j] = k;
    }
  printf("orbit %lx %lx\n", hash(C, sizeof C), hash(steps, sizeof steps));
  return 0;
}
"""

#: two products and their difference, beside two and their sum, at neighbouring places
TURNS = """\
#include <stdio.h>
#include <stdlib.h>
static void turn(double c, double s, int k, double *g)
{
  double left = c * g[k] - s * g[k + 1], right = s * g[k] + c * g[k + 1];
  g[k] = left, g[k + 1] = right;
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 24;
  double *y = malloc((n + 1) * sizeof *y), *c = malloc(n * sizeof *c), *s = malloc(n * sizeof *s);
  for (int j = 0; j < n; j++)
    y[j] = 1.0 / (j + 3), c[j] = 1.0 / (j + 1.7), s[j] = 1.0 - c[j] / 3;
  y[n] = 0.3;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      y[i] = y[i] / 3;
    for (int j = 0; j < n; j++)
      turn(c[j], s[j], j, y);
  }
  for (int j = 0; j <= n; j++)
    printf("y%d %a\\n", j, y[j]);
  return 0;
}
"""

PAIRS = """\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 40;
  double *v = malloc(2 * n * sizeof *v), c = 0.6 / n, s = 0.8 / n;
  for (int i = 0; i < 2 * n; i++)
    v[i] = 1.0 / (i + 3);
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    double p = v[2 * i], q = v[2 * i + 1];
    v[2 * i] = c * p - s * q;
    v[2 * i + 1] = s * p + c * q;
  }
  for (int i = 0; i < 2 * n; i++)
    printf("v%d %a\\n", i, v[i]);
  return 0;
}
"""

ROUNDED = """\
void rounded(int n, const double *restrict a, int *restrict same)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(same[0:n])
  for (int i = 0; i < n; i++) {
    double square = a[i] * a[i];
    same[i] = a[i] * (2 * a[i]) - 2 * square == 0;
  }
}
"""

fuses = pytest.mark.skipif(
    " fma " not in Path("/proc/cpuinfo").read_text(), reason="this processor fuses no operations, so nothing can differ"
)


def digits(folder, *flags, source=SOURCE):
    """What a build prints on the device, and what it prints on the host."""
    (folder / "digits.c").write_text(source)
    binary = folder / "digits"
    done = accshare_cc("-O2", *flags, "digits.c", "-o", binary, cwd=folder)
    assert done.returncode == 0, done.stderr
    both = []
    for setting in ({"ACCSHARE_OFFLOAD": "mandatory"}, {"ACC_DEVICE_TYPE": "host"}):
        ran = subprocess.run([binary], capture_output=True, text=True, env=os.environ | setting, check=True)
        both.append(dict(line.split(maxsplit=1) for line in ran.stdout.splitlines()))
    return both


@pytest.mark.quick
@pytest.mark.parametrize("flags", [("-ffp-contract=off",), ("-std=c99", "-march=native")])
def test_the_device_has_the_hosts_digits_where_nothing_may_be_fused(tmp_path, flags):
    device, host = digits(tmp_path, *flags)
    assert device == host
    assert len(host) == 5


def test_the_programs_own_pragma_forbids_it_too(tmp_path):
    device, host = digits(tmp_path, source=f"#pragma STDC FP_CONTRACT OFF\n{SOURCE}")
    assert device == host


@pytest.mark.parametrize("flags", [(), ("-O3", "-march=native", "-ffp-contract=off")])
def test_compilers_fuse_no_pairs_of_operations_either(tmp_path, flags):
    """As gcc 12.2 does of statements beside each other, whatever it is told."""
    kernels, host = digits(tmp_path, "--acc-target=native", *flags, source=TURNS)
    assert kernels == host


def test_nor_do_they_in_loops_over_pairs(tmp_path):
    """As gcc 12.2 does, too, where a loop is for a processor that can."""
    kernels, host = digits(tmp_path, "--acc-target=native", source=PAIRS)
    assert kernels == host


@fuses
@pytest.mark.parametrize("flags", [("-ffp-contract=fast",), ("-ffast-math",), ("--acc-target=generic-cpu",)])
def test_who_asks_for_it_and_devices_fuse(tmp_path, flags):
    device, host = digits(tmp_path, *flags)
    assert device["rest"] != host["rest"]


@pytest.mark.parametrize("compiler", ["cc", "clang"])
def test_versions_for_newer_processors_fuse_no_more_than_the_loops_beside_them(tmp_path, compiler, monkeypatch):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    monkeypatch.setenv("ACCSHARE_CC", compiler)
    device, host = digits(tmp_path)
    assert device == host


@fuses
@pytest.mark.parametrize("target", telling({"native"}, ["generic-cpu", "native"]))
def test_verify_tells_fused_operations_from_an_error(tmp_path, target):
    (tmp_path / "rounded.c").write_text(ROUNDED)
    flags = (f"--acc-target={target}", "-ffp-contract=fast")
    done = accshare("verify", "rounded.c", *flags, "--size", "n=500", cwd=tmp_path, env=os.environ | {"COLUMNS": "200"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fused: same[0], n=500" in done.stdout
    first, second = done.stdout.splitlines()[-2:]
    assert first == "1 of 1 region gives the host's answer"
    assert "-ffp-contract=off" in second
    exact = accshare("verify", "rounded.c", *flags, "--size", "n=500", "-ffp-contract=off", cwd=tmp_path)
    assert "fused" not in exact.stdout
    assert exact.stdout.splitlines()[-1] == first


@fuses
def test_an_error_behind_fused_operations_is_an_error(tmp_path):
    (tmp_path / "rounded.c").write_text(ROUNDED)
    (region,) = compile_file(str(tmp_path / "rounded.c"), ["--acc-target=generic-cpu"]).result.output.regions
    (text,) = region.variants
    wrong = replace(text, opencl=text.opencl.replace("- 2 *", "- 3 *"))
    assert wrong != text
    found = list(verify([replace(region, variants=(wrong,))], {"n": 500}))
    assert not found[0].fused
    assert not summarised([region.offload.region.name], found).good
