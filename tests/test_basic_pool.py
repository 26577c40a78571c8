"""Kernels of a CPU run in the program's own thread and others: the same results by any number (basic-pool.md)."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from commands import accshare_cc
from tiers import telling

from accshare.device.probe import probe
from accshare.driver.paths import runtime_library

SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* the sizes that a thread goes through: below, at and above a piece's, and grids with more groups than threads */
static const int lengths[] = {1, 2, 15, 16, 17, 100, 1023, 5000, 70001, 300000}, widths[] = {1, 3, 8, 31, 64, 65, 100};
static int wrong;

static void axpy(int n, float a, const float *restrict x, float *restrict y)
{
#pragma acc kernels loop copyin(x[0:n]) copy(y[0:n])
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

static double dot(int n, const double *x, const double *y)
{
  double sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(x[0:n], y[0:n])
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void sums(int rows, int n, const float *A, float *s)
{
#pragma acc kernels loop copyin(A[0:rows*n]) copyout(s[0:rows])
  for (int i = 0; i < rows; i++) {
    float sum = 0;
#pragma acc loop reduction(+:sum)
    for (int j = 0; j < n; j++) sum += A[i * n + j];
    s[i] = sum;
  }
}

static void multiply(int n, float A[n][n], float B[n][n], float C[n][n])
{
#pragma acc kernels loop copyin(A[0:n][0:n], B[0:n][0:n]) copyout(C[0:n][0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}

static void smooth(int n, float A[n][n], float B[n][n])
{
#pragma acc data copy(A[0:n][0:n], B[0:n][0:n])
  for (int t = 0; t < 3; t++) {
#pragma acc kernels loop
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) B[i][j] = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];
#pragma acc kernels loop
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i][j] = B[j][i] - 2 * (float)t;
  }
}

static void expect(int holds, const char *what, int n)
{
  if (holds) return;
  __sync_fetch_and_add(&wrong, 1);
  fprintf(stderr, "wrong: %s of %d\n", what, n);
}

static void vectors(int n)
{
  float *x = malloc(sizeof *x * n), *y = malloc(sizeof *y * n);
  double *u = malloc(sizeof *u * n), *v = malloc(sizeof *v * n), want = 0;
  for (int i = 0; i < n; i++) x[i] = i % 13, y[i] = i % 7, want += (u[i] = i % 5) * (v[i] = i % 3);
  axpy(n, 2, x, y);
  for (int i = 0; i < n; i++)
    if (y[i] != 2 * (i % 13) + i % 7) { expect(0, "axpy", n); break; }
  expect(dot(n, u, v) == want, "dot", n);
  for (int rows = 1; rows < 4 && rows <= n; rows++) {
    float s[4], w[4] = {0};
    sums(rows, n / rows, x, s);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < n / rows; j++) w[i] += x[i * (n / rows) + j];
      expect(s[i] == w[i], "sums", n);
    }
  }
  free(x), free(y), free(u), free(v);
}

static void matrices(int n)
{
  float(*A)[n] = malloc(sizeof(float[n][n])), (*B)[n] = malloc(sizeof(float[n][n]));
  float(*C)[n] = malloc(sizeof(float[n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i][j] = (i + j) % 4, B[i][j] = i * j % 3;
  multiply(n, A, B, C);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += A[i][k] * B[k][j];
      if (C[i][j] != sum) { expect(0, "multiply", n); i = n; break; }
    }
  float(*D)[n] = malloc(sizeof(float[n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) C[i][j] = A[i][j], D[i][j] = B[i][j];
  smooth(n, C, D);
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) B[i][j] = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i][j] = B[j][i] - 2 * (float)t;
  }
  for (int i = 0; i < n * n; i++)
    if (A[0][i] != C[0][i] || B[0][i] != D[0][i]) { expect(0, "smooth", n); break; }
  free(A), free(B), free(C), free(D);
}

static void *everything(void *turn)
{
  enum { LENGTHS = sizeof lengths / sizeof *lengths, WIDTHS = sizeof widths / sizeof *widths };
  for (int r = 0; r < 3; r++) {
    for (int i = 0; i < LENGTHS; i++) vectors(lengths[(i + (int)(long)turn) % LENGTHS]);
    for (int i = 0; i < WIDTHS; i++) matrices(widths[(i + (int)(long)turn) % WIDTHS]);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[8];
  long count = argc > 1 ? atoi(argv[1]) : 1;
  for (long i = 0; i < count; i++) pthread_create(&threads[i], NULL, everything, (void *)i);
  for (long i = 0; i < count; i++) pthread_join(threads[i], NULL);
  puts(wrong ? "wrong" : "right");
  const char *here = getenv("POCL_DEVICES");
  printf("%s\n", here ? here : "unset");
  fflush(stdout);
  return system("echo ${POCL_DEVICES-unset}");
}
"""

DEVICES = r"""
#include <openacc.h>
#include <stdio.h>
int main(void) { printf("%d\n", acc_get_num_devices(acc_device_not_host)); return 0; }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pool")


@pytest.fixture(scope="module")
def program(folder: Path) -> Path:
    return _built(folder / "everything.c", SOURCE)


def _built(source: Path, text: str) -> Path:
    source.write_text(text)
    binary = source.with_suffix("")
    done = accshare_cc("-O2", "-ffp-contract=off", "-w", source, "-o", binary, "-lpthread", "-lm")
    assert done.returncode == 0, done.stderr
    return binary


def _run(program: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([program, *arguments], env=os.environ | settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def _has_pool() -> bool:
    """Whether the device that programs use here is one that pools are made for."""
    found = probe(runtime_library())
    pocl = bool(found) and found[0].platform == "Portable Computing Language" and found[0].driver.startswith("3.")
    return pocl and "POCL_DEVICES" not in os.environ


needs_pool = pytest.mark.skipif("not _has_pool()", reason="no PoCL 3 here")


@pytest.mark.parametrize("threads", telling({"1", "3"}, ["0", "1", "2", "3", "16"]))
@pytest.mark.parametrize("callers", ["1", "3"])
def test_any_number_of_threads_comes_to_the_same(program: Path, threads: str, callers: str) -> None:
    done = _run(program, callers, ACCSHARE_THREADS=threads)
    assert done.stdout.splitlines()[0] == "right", done.stderr


@needs_pool
def test_the_number_of_threads_is_what_was_asked_for(program: Path) -> None:
    for threads in ("1", "3"):
        done = _run(program, ACCSHARE_THREADS=threads, ACCSHARE_NOTIFY="1")
        launches = [line for line in done.stderr.splitlines() if " launch " in line]
        assert launches
        assert all(re.search(rf" threads={threads}$", line) for line in launches)


def test_who_asks_for_them_has_the_threads_of_opencl(program: Path) -> None:
    for settings in ({"ACCSHARE_THREADS": "0"}, {"ACCSHARE_ZERO_COPY": "0"}):
        done = _run(program, ACCSHARE_NOTIFY="1", **settings)
        assert done.stdout.splitlines()[0] == "right", done.stderr
        assert " launch " in done.stderr
        assert "threads=" not in done.stderr


def test_the_programs_environment_is_left_alone(program: Path) -> None:
    environment = os.environ.get("POCL_DEVICES", "unset")
    assert _run(program).stdout.splitlines()[1:] == [environment, environment]


@needs_pool
def test_a_choice_of_devices_is_respected(program: Path) -> None:
    for devices in ("pthread", "basic"):
        done = _run(program, ACCSHARE_NOTIFY="1", POCL_DEVICES=devices)
        assert done.stdout.splitlines() == ["right", devices, devices]
        assert f'device="{devices}' in done.stderr
        assert "threads=" not in done.stderr


def test_the_pools_device_is_not_counted(folder: Path) -> None:
    program = _built(folder / "devices.c", DEVICES)
    counts = {_run(program, ACCSHARE_THREADS=threads).stdout for threads in ("0", "2")}
    assert len(counts) == 1
