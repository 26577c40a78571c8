"""Passes over a matrix one after the other, by blocks of its rows."""

from __future__ import annotations

import subprocess
from pathlib import Path

from calls import explained
from commands import accshare_cc

PROGRAM = Path(__file__).parents[1] / "native" / "programs" / "passes_again.c"
#: functions whose second pass finds in a cache what the first one has read
IN_BLOCKS = {"transposed": "A", "gradient": "X", "changed": "A"}


def blocked(*flags):
    report = explained(PROGRAM, *flags)
    steps = ((r["function"], s) for r in report["regions"] for s in (r["order"] or {"steps": []})["steps"])
    return {function: step["sentence"] for function, step in steps if step["word"] == "blocked"}


def test_the_report_tells_which_passes_go_by_blocks():
    """No others: a sum that begins inside has no block where there are no rows, or rows need all of the second pass."""
    found = blocked("--acc-target=native")
    assert found.keys() == IN_BLOCKS.keys()
    assert all(f"the second pass over {IN_BLOCKS[function]}" in words for function, words in found.items())


def test_devices_and_orders_that_are_asked_for_have_whole_passes():
    assert not blocked("--acc-target=generic-gpu")
    assert not blocked("--acc-target=native", "--acc-schedule=super")


#: the first pass goes over a triangle, whose rows are not all as long
TRIANGLE = """
enum { M = 900, N = 800 };
static float A[M][N], x[M], y[N], s[N], q[M];
static void passes(int m, int n)
{
#pragma acc kernels
  {
    for (int j = 0; j < n; j++)
      for (int i = j; i < m; i++)
        y[j] += A[i][j] * x[i];
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        q[i] += A[i][j] * s[j];
  }
}
int main(void)
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = x[i] = s[j] = 1;
  passes(M, N);
  return y[0] != M || y[700] != M - 700 || q[0] != N || q[899] != N;
}
"""


def test_the_host_knows_how_large_a_matrix_is_whose_first_pass_is_a_triangle(tmp_path):
    (tmp_path / "triangle.c").write_text(TRIANGLE)
    done = accshare_cc("--acc-target=native", "-march=native", tmp_path / "triangle.c", "-o", tmp_path / "triangle")
    assert (done.returncode, done.stderr) == (0, "")
    subprocess.run([tmp_path / "triangle"], check=True)
