"""Natively, steps of loops over time run many at a time in bands of rows."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from calls import explained
from commands import accshare, accshare_cc
from tiers import telling

from accshare.device import preset
from accshare.diagnostics import Rejected
from accshare.frontend.ir import LONG
from accshare.frontend.parse import parse
from accshare.islexpr import literal
from accshare.kernel import lower
from accshare.kernel.checks.complete import check_host_loops
from accshare.mapping import map_to
from accshare.mapping.bands.slopes import Slopes, Sweep, slopes
from accshare.mapping.bands.split import Size, by_bands
from accshare.mapping.ir import Edge, NestPartition, NestPlacement, NestPlan, Partition, Placement, Plan, RegisterTile
from accshare.options import Options
from accshare.order import Facts, order
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.schedule.ir import Band, Kernel, Leaf, Phase, Role, Sequence, steps
from accshare.source import SourceFile
from accshare.target import adaptation

HEAD = """
void f(int steps, int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n], float eps) {
#pragma acc kernels
{
"""
#: a step sets one array from the other, and back
JACOBI = """
for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) b[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) a[i][j] = 0.25f * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
}
"""
COPY = """
for (int t = 0; t < steps; t++) {
  for (int i = 3; i < n; i++) for (int j = 2; j < n; j++) b[i][j] = a[i - 3][j - 2] + 1;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j];
}
"""
#: two arrays on staggered grids, one of which has a row at its edge that each step sets anew
STAGGERED = """
for (int t = 0; t < steps; t++) {
  for (int j = 0; j < n; j++) b[0][j] = t;
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) b[i][j] -= 0.5f * (a[i][j] - a[i - 1][j]);
  for (int i = 0; i < n - 1; i++) for (int j = 1; j < n; j++) a[i][j] -= 0.7f * (b[i + 1][j] - b[i][j - 1]);
}
"""
#: each step multiplies all rows by one matrix
PRODUCT = """
for (int t = 0; t < steps; t++) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      b[i][j] = 0;
      for (int k = 0; k < n; k++) b[i][j] += a[i][k] * c[k][j];
    }
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j];
}
"""
#: steps and rows of a band, and columns of a tile, where a core's cache holds a megabyte
TILED = {
    JACOBI: (16, 128, 256),
    COPY: (10, 128, 256),
    STAGGERED: (32, 128, 256),
    JACOBI.replace("t++", "t += 2"): (16, 128, 256),
}
#: each step needs all that the one before it left, or what it does itself
WHOLE = {
    "in place": """
for (int t = 0; t < steps; t++)
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) a[i][j] += a[i - 1][n - 1 - j];
""",
    "a transposed array": """
for (int t = 0; t < steps; t++) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[j][i] + 1;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j] / 2;
}
""",
    "the other end of an array": """
for (int t = 0; t < steps; t++) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[n - 1 - i][j] + 1;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j] / 2;
}
""",
    "a matrix that each step changes": PRODUCT.replace("a[i][j] = b[i][j]", "c[i][j] = b[i][j]"),
    "fewer steps each time": f"for (int s = 1; s < 9; s++) {JACOBI.replace('int t = 0', 'int t = s')}",
    "a first step that nobody knows": f"for (int s = 1; s < n; s++) {JACOBI.replace('int t = 0', 'int t = n')}",
    "a sum that the next sweep needs": """
float all = 0;
for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[i - 1][n - 1 - j] * all;
  all = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) all += b[i][j];
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i - 1][j];
}
""",
    "an end that depends on the data": """
float change = 1;
for (int t = 0; t < steps && change > eps; t++) {
  change = 0;
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[i - 1][n - 1 - j];
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) { a[i][j] = b[i - 1][j]; change += b[i][j]; }
}
""",
}


def tiled(tmp_path, body, *options):
    """What is said of the loop over time, if it runs in bands."""
    source = tmp_path / "f.c"
    source.write_text(f"{HEAD}{body}\n}}}}\n")
    regions = explained(source, "--acc-target=native", *options)["regions"]
    assert not any(message["code"].startswith("ACC9") for region in regions for message in region["messages"])
    orders = [region["order"] or {"steps": ()} for region in regions]
    return [step for order in orders for step in order["steps"] if step["word"] == "tiled"]


@pytest.mark.parametrize("body", telling({JACOBI, STAGGERED}, TILED))
def test_steps_are_tiled(tmp_path, body):
    (said,) = tiled(tmp_path, body)
    count, rows, columns = TILED[body]
    bands = f"in bands of {rows} iterations of loop i by tiles of {columns} of loop j on "
    assert said["sentence"].startswith(f"{count} steps of loop t at a time {bands}")


def test_bands_of_products_share_a_matrix(tmp_path):
    """They have the product's register tiles, where they find what these load side by side."""
    (said,) = tiled(tmp_path, PRODUCT)
    assert said["sentence"].startswith("32 steps of loop t at a time in bands of 16 iterations of loop i on ")
    assert said["sentence"].endswith(", where c, which they share, fits in a core's cache")
    assert not tiled(tmp_path, PRODUCT.replace("c[k][j]", "c[j][k]"))


@pytest.mark.parametrize(("flag", "rows"), [("-mavx2", 18), ("-mavx512f", 16)])
def test_bands_of_products_are_whole_register_tiles(tmp_path, flag, rows):
    """Of six rows with 16 registers, of eight with 32: rows that these leave over run one by one."""
    (said,) = tiled(tmp_path, PRODUCT, flag)
    assert f"in bands of {rows} iterations of loop i on " in said["sentence"]


def test_two_grids_in_one_array_are_tiled(tmp_path):
    source = tmp_path / "f.c"
    source.write_text("""
void f(int steps, int n, double a[restrict 2][n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[(t + 1) % 2][i][j] = 0.3 * (a[t % 2][i - 1][j] + a[t % 2][i + 1][j] + a[t % 2][i][j - 1]);
}
""")
    (region,) = explained(source, "--acc-target=native")["regions"]
    assert (
        "at a time in bands of 128 iterations of loop i by tiles of 128 of loop j on"
        in region["order"]["steps"][-1]["sentence"]
    )


def test_each_of_several_loops_is_tiled(tmp_path):
    assert len(tiled(tmp_path, JACOBI + STAGGERED, "-march=native")) == 2


@pytest.mark.parametrize("name", telling({"in place", "a sum that the next sweep needs"}, WHOLE))
def test_steps_that_need_whole_sweeps_are_not(tmp_path, name):
    assert not tiled(tmp_path, WHOLE[name])


def test_what_forbids_bands_is_named(tmp_path):
    assert not tiled(tmp_path, WHOLE["a transposed array"])
    (region,) = explained(tmp_path / "f.c", "--acc-target=native")["regions"]
    (said,) = [step for step in region["order"]["kept"] if step["word"] == "not tiled"]
    reason = "line 8 writes a[i][j], which line 7 reads as a[j][i] any number of iterations of loop i away"
    assert said["sentence"] == f"loop t by bands of rows: {reason}"


@pytest.mark.thorough
def test_sweeps_between_two_looks_at_what_has_changed_are(tmp_path):
    """The loop that data end is on the host, around the region; the last sweep combines as it goes."""
    source = tmp_path / "f.c"
    source.write_text(f"""
int f(int n, float a[restrict n][n], float b[restrict n][n])
{{
  float change = 1;
  int rounds = 0;
  for (; change > 0.001f; rounds++) {{
    change = 0;
#pragma acc kernels
    {{
{JACOBI.replace("t < steps", "t < 8")}
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          change = b[i][j] - a[i][j] > change ? b[i][j] - a[i][j] : change;
    }}
  }}
  return rounds;
}}
""")
    (region,) = explained(source, "--acc-target=native")["regions"]
    assert [step["word"] for step in region["order"]["steps"]] == ["tiled"]
    assert [len(kernel["reductions"]) for kernel in region["kernels"]][-1:] == [1]


def test_what_the_user_says_is_obeyed(tmp_path):
    assert not tiled(tmp_path, JACOBI, "--acc-schedule=source")
    assert not tiled(tmp_path, f"#pragma acc loop seq{JACOBI}")


def test_work_groups_have_bands(tmp_path):
    """A group's work-items share each sweep of a band; OpenCL's kernels for CPUs have none."""
    source = tmp_path / "f.c"
    source.write_text(f"{HEAD}{JACOBI}\n}}}}\n")
    (region,) = explained(source, "--acc-target=generic-cpu")["regions"]
    assert not any(step["word"] == "tiled" for step in region["order"]["steps"])
    (region,) = explained(source, "--acc-target=generic-gpu")["regions"]
    (step,) = region["order"]["steps"]
    assert step["sentence"].startswith("8 steps of loop t at a time in bands of 64 iterations of loop i on generic-gpu")


def main_of(*sizes):
    """A program that runs `f` and `g` for some sizes and numbers of steps."""
    return f"""
#include <stdio.h>
static float a[701][701], b[701][701];
{HEAD}{JACOBI}
}}}}
{HEAD.replace("f(", "g(", 1)}{JACOBI.replace("t++", "t += 2")}
}}}}
int main(void)
{{
  static const int sizes[] = {{{", ".join(map(str, sizes))}}};
  for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
    for (int steps = 0; steps < 19; steps += 6) {{
      int n = sizes[k];
      double sum = 0;
      for (int k = 0; k < n * n; k++) a[0][k] = k % 17, b[0][k] = k % 5;
      f(steps, n, (float (*)[n])a[0], (float (*)[n])b[0], 0, 0);
      g(steps, n, (float (*)[n])a[0], (float (*)[n])b[0], 0, 0);
      for (int k = 0; k < n * n; k++) sum = sum * 0.999 + a[0][k] - 2 * b[0][k];
      printf("%d %d %.17g\\n", n, steps, sum);
    }}
}}
"""


def launched(tmp_path, text, *options, **more):
    """The kernels that a program launches when it runs as with gcc: what is behind the number in their names."""
    source, binary = tmp_path / "f.c", tmp_path / "f"
    source.write_text(text)
    flags = ("-std=c99", "-O1", "-ffp-contract=off", "-w", str(source), "-o", str(binary))
    subprocess.run(["gcc", *flags], check=True)
    expected = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    accshare_cc(*options, *flags)
    environment = {**os.environ, "ACCSHARE_NOTIFY": "1", "ACCSHARE_THREADS": "2", **more}
    ran = subprocess.run([binary], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout == expected
    return re.findall(r"kernel=\S*?_0(_narrowing|_widening|) ", ran.stderr)


def test_sizes_decide_when_the_program_runs(tmp_path):
    """Many rows run in bands, two launches for as many steps as these have; what a cache holds does not."""
    kernels = launched(tmp_path, main_of(701, 140, 65, 2, 1, 0), "--acc-target=native")
    assert kernels.count("_narrowing") == kernels.count("_widening") == (1 + 1 + 2) + (1 + 1 + 1)
    assert "" in kernels


ELEMENTS = """
#include <stdio.h>
static float a[5000], b[5000];
static void f(int steps, int n, float *restrict a, float *restrict b)
{
#pragma acc kernels copy(a[0:n], b[0:n])
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = 0.25f * (a[i - 1] + a[i] + 2 * a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = 0.25f * (b[i - 1] + b[i] + 2 * b[i + 1]);
  }
}
int main(void)
{
  static const int sizes[] = {5000, 4093, 3075, 1025, 2, 1, 0};
  for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
    for (int steps = 0; steps < 100; steps += 33) {
      int n = sizes[k];
      double sum = 0;
      for (int i = 0; i < n; i++) a[i] = i % 17, b[i] = i % 5;
      f(steps, n, a, b);
      for (int i = 0; i < n; i++) sum = sum * 0.999 + a[i] - 2 * b[i];
      printf("%d %d %.17g\\n", n, steps, sum);
    }
}
"""


def test_single_elements_run_in_bands_where_each_core_has_two(tmp_path):
    """A sweep over so few takes no longer than its launch, so that it does not matter that a cache holds them."""
    kernels = launched(tmp_path, ELEMENTS, "--acc-target=native", ACCSHARE_BREAK_EVEN="0")
    assert kernels.count("_narrowing") == kernels.count("_widening") == 3 * (2 + 3 + 4)
    assert "" in kernels


def many_steps(tmp_path, **environment):
    """The kernels that a program launches whose loop over time has many blocks of steps, none of them at its end."""
    text = main_of(701).replace("int steps = 0; steps < 19; steps += 6", "int steps = 645; steps < 646; steps++")
    text = text.replace("int t = 0", "int t = 3")
    return launched(tmp_path, text, "--acc-target=native", ACCSHARE_CACHE_DIR=str(tmp_path / "cache"), **environment)


def test_long_executions_find_out_whether_sweeps_are_faster(tmp_path):
    """Where the last cache has room for the data twice, bands may not pay. Two blocks of steps run in sweeps, and all
    those behind them where that was faster; the result is the same."""
    size = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")
    if not size.exists() or int(size.read_text().rstrip("K\n")) << 10 < 4 * 4 * 701 * 701:
        pytest.skip("no cache holds the data")
    kernels = many_steps(tmp_path, ACCSHARE_BREAK_EVEN="0", ACCSHARE_LEARN="on")
    in_bands = ["_narrowing", "_widening"]
    assert kernels[: 4 + 32 + 2] == in_bands * 2 + [""] * 32 + in_bands


def test_nothing_is_tried_where_nothing_is_learned(tmp_path):
    kernels = many_steps(tmp_path, ACCSHARE_BREAK_EVEN="0", ACCSHARE_LEARN="off")
    assert set(kernels) == {"_narrowing", "_widening"}


def test_short_rows_are_bands_of_work_groups(tmp_path, opencl):
    """Where a work-group goes over its band in less time than launches take, eight steps are two launches."""
    kernels = launched(tmp_path, main_of(140, 65, 2, 1, 0), "--acc-target=generic-gpu")
    assert kernels.count("_narrowing") == 2 * ((1 + 2 + 3) + (1 + 1 + 2))
    assert "" not in kernels
    kernels = launched(tmp_path, main_of(701), "--acc-target=generic-gpu")
    assert "_narrowing" not in kernels


def test_boxes_are_tiled_along_all_of_their_loops(tmp_path):
    """Sweeps to and fro over a box whose planes no core's cache holds in sixteen, and one that depends on neighbours on
    one side only, with edges that tiles don't divide."""
    source, binary = tmp_path / "f.c", tmp_path / "f"
    source.write_text("""
#include <stdio.h>
static double a[70][77][203], b[70][77][203];
void f(int steps, int l, int m, int n, double a[restrict 70][77][203], double b[restrict 70][77][203])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < l - 1; i++)
      for (int j = 2; j < m; j++)
        for (int k = 0; k < n - 1; k++)
          b[i][j][k] = 0.3 * (a[i - 1][j][k] + a[i + 1][j - 2][k + 1]) - 0.25 * a[i + 1][j][k];
    for (int i = 0; i < l; i++)
      for (int j = 1; j < m; j++)
        for (int k = 1; k < n; k++) a[i][j][k] = b[i][j - 1][k - 1] - 0.5 * b[i][j][k];
  }
}
int main(void)
{
  static const int sizes[][4] = {{7, 70, 77, 203}, {4, 64, 64, 129}, {1, 70, 76, 202}, {5, 1, 77, 203}, {3, 70, 2, 1}};
  double *p = (double *)a, *q = (double *)b;
  for (int k = 0; k < 5; k++) {
    double sum = 0;
    for (int e = 0; e < 70 * 77 * 203; e++) p[e] = e % 17, q[e] = e % 5;
    f(sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3], a, b);
    for (int e = 0; e < 70 * 77 * 203; e++) sum = sum * 0.999 + p[e] - 2 * q[e];
    printf("%.17g\\n", sum);
  }
}
""")
    flags = ("-std=c99", "-O1", "-ffp-contract=off", "-w", str(source), "-o", str(binary))
    subprocess.run(["gcc", *flags], check=True)
    expected = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    accshare_cc("--acc-target=native", *flags)
    environment = {**os.environ, "ACCSHARE_NOTIFY": "1", "ACCSHARE_THREADS": "1"}
    ran = subprocess.run([binary], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout == expected
    assert "_narrowing " in ran.stderr
    text = accshare("emit", "--acc-target=native", "-march=x86-64-v4", "--kernel", source).stdout
    asked = re.findall(r"__builtin_prefetch\(\(const void \*\)\(\(unsigned long\)(\w) .*, 0, 2\);", text)
    assert asked == ["b", "a", "b", "a"], "what the next tile has, by each sweep of both kernels"


def test_rows_of_products_run_many_steps_with_a_matrix_that_a_cache_holds(tmp_path):
    """Layers that are replaced by their products with one matrix, rows that are multiplied by two matrices by turns,
    and rows that each step moves by one; for matrices that a core's cache holds by far, just and not at all, and for
    sizes that nothing divides."""
    kernels = launched(
        tmp_path,
        """
#include <stdio.h>
static double room[5][520 * 520];
#define layers(T)                                                                                           \\
  void layers_##T(int l, int m, int n, T a[restrict l][m][n], T b[restrict m][n], T c[restrict n][n],       \\
                  T d[restrict n][n], T sum[restrict n])                                                    \\
  {                                                                                                         \\
    _Pragma("acc kernels") for (int r = 0; r < l; r++) for (int q = 0; q < m; q++)                          \\
    {                                                                                                       \\
      for (int p = 0; p < n; p++) {                                                                         \\
        sum[p] = 0;                                                                                         \\
        for (int s = 0; s < n; s++) sum[p] += a[r][q][s] * c[s][p];                                         \\
      }                                                                                                     \\
      for (int p = 0; p < n; p++) a[r][q][p] = sum[p];                                                      \\
    }                                                                                                       \\
  }
layers(float)
layers(double)
void turns_float(int l, int m, int n, float a[restrict m][n], float b[restrict m][n], float c[restrict n][n],
                 float d[restrict n][n], float *sum)
{
#pragma acc kernels
  for (int t = 0; t < l; t++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        float all = 1;
        for (int k = 0; k < n; k++) all += a[i][k] * c[k][j];
        b[i][j] = all;
      }
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        float all = 2;
        for (int k = 0; k < n; k++) all += b[i][k] * d[k][j];
        a[i][j] = all;
      }
  }
}
void moved_float(int l, int m, int n, float a[restrict m][n], float b[restrict m][n], float c[restrict n][n],
                 float d[restrict n][n], float *sum)
{
#pragma acc kernels
  for (int t = 0; t < l; t++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        b[i][j] = 0;
        for (int k = 0; k < n; k++) b[i][j] += a[i][k] * c[k][j];
      }
    for (int i = 1; i < m; i++)
      for (int j = 0; j < n; j++) a[i][j] = b[i - 1][j];
  }
}
#define run(f, T)                                                                                           \\
  {                                                                                                         \\
    T *a = (T *)room[0], *b = (T *)room[1], *c = (T *)room[2], *d = (T *)room[3], *s = (T *)room[4];        \\
    double sum = 0;                                                                                         \\
    for (int k = 0; k < l * m * n; k++) a[k] = k % 7;                                                       \\
    for (int k = 0; k < n * n; k++) c[k] = (k % 5 - 2) / (T)n, d[k] = (k % 3 - 1) / (T)n;                   \\
    f##_##T(l, m, n, (void *)a, (void *)b, (void *)c, (void *)d, (void *)s);                                \\
    for (int k = 0; k < l * m * n; k++) sum = sum * 0.999 + a[k];                                           \\
    printf("%.17g %.17g %.17g\\n", sum, m && n ? (double)b[m * n - 1] : 0, n ? (double)s[n - 1] : 0);       \\
  }
int main(void)
{
  static const int sizes[][3] = {{35, 65, 17}, {3, 80, 37}, {3, 80, 520}, {3, 70, 362}, {2, 70, 361}, {2, 65, 255},
                                 {1, 80, 40}, {0, 80, 40}, {3, 0, 40}, {3, 80, 0}, {3, 80, 1}};
  for (int size = 0; size < (int)(sizeof sizes / sizeof *sizes); size++) {
    int l = sizes[size][0], m = sizes[size][1], n = sizes[size][2];
    run(layers, float) run(layers, double) run(turns, float) run(moved, float)
  }
}
""",
        "--acc-target=native",
        "-march=native",
    )
    assert kernels[:3] == ["_narrowing", "_narrowing", "_narrowing"], "35 steps of float, and of double"
    assert "" in kernels


def test_sweeps_in_place_store_whole_lines(tmp_path):
    """Three sweeps over staggered grids, of which one shares nothing between rows, with rows that are whole vectors of
    memory and rows that are not; and a sweep whose result is copied back."""
    source, binary = tmp_path / "f.c", tmp_path / "f"
    bodies = {
        "staggered": """
for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) a[i][j] -= 0.5f * (c[i][j] - c[i - 1][j]);
  for (int i = 0; i < n; i++) for (int j = 1; j < n; j++) b[i][j] -= 0.5f * (c[i][j] - c[i][j - 1]);
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++) c[i][j] -= 0.75f * (b[i][j + 1] - b[i][j] + a[i + 1][j] - a[i][j]);
}
""",
        "copied": """
for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 2; j < n - 1; j++) b[i][j] = c[i][j] + a[i - 1][j] - 0.5f * a[i + 1][j - 2] + a[i][j];
  for (int i = 1; i < n - 1; i++) for (int j = 2; j < n - 1; j++) a[i][j] = b[i][j] * 0.5f;
}
""",
    }
    functions = "".join(
        f"void {name}_{type_}(int steps, int n, {type_} a[restrict n][n], {type_} b[restrict n][n], "
        f"{type_} c[restrict n][n])\n{{\n#pragma acc kernels\n{{{body}}}\n}}\n"
        for type_ in ("float", "double")
        for name, body in bodies.items()
    )
    calls = "".join(
        f"    run({name}_{type_}, {type_}, {n}, {count});\n"
        for type_ in ("float", "double")
        for name in bodies
        for n, count in ((720, 5), (701, 4), (17, 3))
    )
    source.write_text(f"""
#include <stdio.h>
{functions}
#define run(f, T, n, steps)                                                                    \\
  {{                                                                                            \\
    static T a[n][n], b[n][n], c[n][n];                                                        \\
    double sum = 0;                                                                            \\
    for (int k = 0; k < n * n; k++) a[0][k] = k % 17, b[0][k] = k % 5, c[0][k] = k % 23;       \\
    f(steps, n, a, b, c);                                                                      \\
    for (int k = 0; k < n * n; k++) sum = sum * 0.999 + a[0][k] - 2 * b[0][k] + 3 * c[0][k];   \\
    printf("%.17g\\n", sum);                                                                   \\
  }}
int main(void)
{{
{calls}}}
""")
    flags = ("-std=c99", "-O1", "-ffp-contract=off", "-w", str(source), "-o", str(binary))
    subprocess.run(["gcc", *flags], check=True)
    expected = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    accshare_cc("--acc-target=native", "-march=native", *flags)
    environment = {**os.environ, "ACCSHARE_NOTIFY": "1", "ACCSHARE_THREADS": "2"}
    ran = subprocess.run([binary], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout == expected
    assert "_narrowing " in ran.stderr
    text = accshare("emit", "--acc-target=native", "-march=x86-64-v4", "--kernel", source).stdout
    for name, kernels in zip(("staggered", "copied") * 2, text.split("/* ---- ")[1:], strict=True):
        (band,) = re.findall(r"_narrowing\([^;]*?\)\n{.*?^}", kernels, re.MULTILINE | re.DOTALL)
        assert len(set(re.findall(r"_tile\d+\(", band))) == {"staggered": 3, "copied": 2}[name]


def scheduled(body):
    """A region up to its schedule, and the loop over time in it."""
    text = SourceFile.of("f.c", f"{HEAD}{body}\n}}}}\n")
    options = Options()
    ordered = order(Facts(model(parse(text, read(text).directives).regions[0])), preset("generic-cpu"), options)
    found = schedule(relax(ordered.scop, options), options)
    return found, found.tree


@pytest.mark.quick
@pytest.mark.parametrize("body", TILED)
def test_a_slope_that_is_too_flat_is_refused(body):
    """The proof knows nothing of how slopes were found."""
    whole, node = scheduled(body)
    loop = node.members[0].loop
    found = slopes(whole.scop, loop, tuple(k for k in steps(node.child) if isinstance(k, Kernel)))

    def lowered(edges):
        options, device = Options(), preset("generic-cpu")
        cut = by_bands(whole, node, edges, Size(4, 64, (32,)))
        return lower(map_to(cut, device, options), options, adaptation(device))

    assert lowered(found).kernels
    (columns,) = found.columns
    assert columns.edge.slope
    steeper = replace(columns, edge=replace(columns.edge, slope=columns.edge.slope - 1))
    with pytest.raises(Rejected, match="would break the"):
        lowered(replace(found, columns=(steeper,)))
    for end in ("low", "high"):
        edge = getattr(found, end)
        if edge.slope:
            with pytest.raises(Rejected, match="would break the"):
                lowered(replace(found, **{end: replace(edge, slope=edge.slope - 1)}))


@pytest.mark.quick
def test_register_tiles_of_sweeps_that_have_an_order_are_refused():
    """The columns of a sweep that goes along rows, one by one."""
    whole, node = scheduled("""
for (int t = 0; t < steps; t++) {
  for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) b[i][j] = b[i][j - 1] + a[i - 1][j];
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j] / 2;
}
""")
    found = slopes(whole.scop, node.members[0].loop, tuple(k for k in steps(node.child) if isinstance(k, Kernel)))
    cut, options, device = by_bands(whole, node, found, Size(4, 64)), Options(), preset("generic-cpu")
    for free in (False, True):
        kernels = [replace(k, child=replace(k.child, child=Phase(in_tiles(k.inside, free)))) for k in cut.kernels]
        nests = tuple(NestPlan(NestPlacement(NestPartition(k)), register_tile=RegisterTile(4, 1, 8)) for k in kernels)
        partition = Partition(cut, device, tuple(nest.placement.partition for nest in nests), ())
        plan = Plan(Placement(partition, tuple(nest.placement for nest in nests)), nests)
        if not free:
            assert lower(plan, options, adaptation(device)).kernels
        else:
            with pytest.raises(Rejected, match="would break the"):
                lower(plan, options, adaptation(device))


def in_tiles(node, free):
    """The loops of a band in register tiles: those that it may, or the innermost one too where all are `free`."""
    if isinstance(node, Sequence):
        return Sequence(tuple(in_tiles(child, free) for child in node.children))
    if not isinstance(node, Band):
        return node
    (member,) = node.members
    own = member.coincident or (free and isinstance(node.child, Leaf))
    return Band((replace(member, role=Role.OWN, coincident=True) if own else member,), in_tiles(node.child, free))


@pytest.mark.quick
def test_loops_on_the_host_are_what_kernels_were_generated_for():
    """Blocks of steps that C passes otherwise: one too many, every second one, none before 1."""
    whole, node = scheduled(JACOBI)
    found = slopes(whole.scop, node.members[0].loop, tuple(k for k in steps(node.child) if isinstance(k, Kernel)))
    cut = by_bands(whole, node, found, Size(4, 64))
    check_host_loops(cut)
    (block,) = {kernel.host[0] for kernel in cut.kernels}
    for changed in ({"relation": "<="}, {"step": 2}, {"first": literal(1, LONG)}):
        wrong = replace(block, loop=replace(block.loop, **changed))
        kernels = Sequence(tuple(replace(kernel, host=(wrong,)) for kernel in cut.kernels))
        with pytest.raises(Rejected, match="passes other values than kernels expect"):
            check_host_loops(replace(cut, tree=kernels))


def sweeps_apart(body):
    """A region up to its schedule, the loop over time in it, and its sweeps as if bands needed nothing of others."""
    whole, node = scheduled(body)
    depth = node.members[0].loop.depth + 1
    kernels = tuple(k for k in steps(node.child) if isinstance(k, Kernel))
    rows = [{s.name: s.tuples.to([s.tuples.coordinates[depth]]) for s in k.statements} for k in kernels]
    sweeps = tuple(Sweep(k, k.grid[0].loop, one) for k, one in zip(kernels, rows, strict=True))
    edge = Edge(0, (0,) * len(sweeps))
    return whole, node, Slopes(sweeps, 1, edge, edge, ())


def in_register_tiles(body, free):
    """The variant of a region in bands of products that have register tiles, the loops inside of them too if `free`."""
    whole, node, found = sweeps_apart(body)
    cut, options, device = by_bands(whole, node, found, Size(4, 16)), Options(), preset("generic-cpu")
    kernels = [replace(k, child=Band(k.grid, Phase(in_tiles(k.inside, free)))) for k in cut.kernels]
    tile = RegisterTile(4, 2, 8, flat=False)
    nests = tuple(NestPlan(NestPlacement(NestPartition(k)), register_tile=tile) for k in kernels)
    partition = Partition(cut, device, tuple(nest.placement.partition for nest in nests), ())
    plan = Plan(Placement(partition, tuple(nest.placement for nest in nests)), nests)
    return lower(plan, options, adaptation(device))


@pytest.mark.quick
def test_bands_of_products_that_need_others_are_refused():
    """The proof knows nothing of what rows share: a matrix that a step changes, rows that others have written, and
    sums whose order counts."""
    assert in_register_tiles(PRODUCT, False).kernels
    for changed in ("c[i][j] = b[i][j]", "a[i][j] = i ? b[i - 1][j] : 0", "a[n - 1 - i][j] = b[i][j]"):
        with pytest.raises(Rejected, match="would break the"):
            in_register_tiles(PRODUCT.replace("a[i][j] = b[i][j]", changed), False)
    with pytest.raises(Rejected, match="would break the"):
        in_register_tiles(PRODUCT, True)
