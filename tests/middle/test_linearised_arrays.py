"""A linearised array gets the kernel of an array of several dimensions, interleaved channels that of one long row."""

import pytest
from commands import accshare

PAIRS = """\
#ifdef FLAT
#define PLANE(p) const float *p
#define OF(p, i, j) p[(i) * n + (j)]
#define BOX(p) double *restrict p
#define AT(p, i, j, k) p[((i) * ny + (j)) * nz + (k)]
#define ROW(p, i) const float *p##_row = p + i * n
#define IN(p, i, j) p##_row[j]
#define FIXED(p, i, j) p[(i << 9) + j]
#define FIXED_ROWS(p) const float *p
#define EACH_CHANNEL for (int x = 1; x < width - 1; x++) for (int c = 0; c < 3; c++)
#define CHANNEL(p, y) p[3 * ((y) * width + x) + c]
#else
#define PLANE(p) const float (*p)[n]
#define OF(p, i, j) p[i][j]
#define BOX(p) double (*restrict p)[ny][nz]
#define AT(p, i, j, k) p[i][j][k]
#define ROW(p, i)
#define IN(p, i, j) p[i][j]
#define FIXED(p, i, j) p[i][j]
#define FIXED_ROWS(p) const float (*p)[512]
#define EACH_CHANNEL for (long xc = 3; xc < 3L * width - 3; xc++)
#define CHANNEL(p, y) p[3 * (y) * width + xc]
#endif

void plane(int n, PLANE(now), float *restrict next)
{
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      next[i * n + j] = OF(now, i, j) + 0.2f * (OF(now, i - 1, j) + OF(now, i + 1, j) + OF(now, i, j - 1));
}

void box(int nx, int ny, int nz, BOX(u), BOX(w))
{
#pragma acc parallel loop
  for (int i = 1; i < nx - 1; i++)
    for (int j = 1; j < ny - 1; j++)
      for (int k = 1; k < nz - 1; k++)
        AT(w, i, j, k) = AT(u, i + 1, j, k) + AT(u, i, j, k - 1) - 2 * AT(u, i, j - 1, k);
}

void product(int n, PLANE(a), PLANE(b), float *restrict c)
{
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      ROW(a, i);
      for (int k = 0; k < n; k++)
        sum += IN(a, i, k) * OF(b, k, j);
      c[i * n + j] = sum;
    }
}

void fixed(FIXED_ROWS(a), FIXED_ROWS(b), float (*restrict c)[512])
{
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++) {
      float sum = 0;
      for (int k = 0; k < 512; k++)
        sum += FIXED(a, i, k) * FIXED(b, k, j);
      c[i][j] = sum;
    }
}

void channels(int height, int width, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc parallel loop collapse(2)
  for (int y = 1; y < height - 1; y++)
    EACH_CHANNEL
      CHANNEL(out, y) = (unsigned char)((CHANNEL(in, y - 1) + 2 * CHANNEL(in, y) + CHANNEL(in, y + 1)) / 4);
}
"""

PIXELS = """\
#ifdef FLAT
#define IMAGE(p) float *restrict p
#define CHANNEL(p, y, x, c) p[3 * ((y) * width + (x)) + (c)]
#else
#define IMAGE(p) float (*restrict p)[width][3]
#define CHANNEL(p, y, x, c) p[y][x][c]
#endif

void blur(int height, int width, const IMAGE(in), IMAGE(out))
{
#pragma acc parallel loop collapse(2)
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++)
      for (int c = 0; c < 3; c++) {
        float sum = 0;
        for (int dx = -1; dx <= 1; dx++)
          sum += CHANNEL(in, y - 1, x + dx, c);
        CHANNEL(out, y, x, c) = sum / 3;
      }
}
"""

SPELLINGS = """\
#ifdef FLAT
#define BITS(p, i, j) p[(i) << 10 | (j)]
#define SIZE int nn = n * n;
#define BOX(p, i, j, k) p[(i) * nn + (j) * n + (k)]
#define ROW(i) int row = (i) * n;
#define PLANE(p, i, j) p[row + (j)]
#define COUNT unsigned
#define FALLING(i) for (unsigned i = n; i-- > 0;)
#define SHORT unsigned char
#else
#define BITS(p, i, j) p[1024 * (i) + (j)]
#define SIZE
#define BOX(p, i, j, k) p[((i) * n + (j)) * n + (k)]
#define ROW(i)
#define PLANE(p, i, j) p[(i) * n + (j)]
#define COUNT long
#define FALLING(i) for (long i = n - 1; i >= 0; i--)
#define SHORT int
#endif

void bits(float *restrict a, const float *restrict b)
{
#pragma acc parallel loop
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++)
      BITS(a, i, j) = BITS(b, i, j) + 1;
}

void product(int n, float *restrict a, const float *restrict b)
{
  SIZE
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        BOX(a, i, j, k) = BOX(b, i, j, k) + 1;
}

void inside(int n, float *restrict a, const float *restrict b)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    ROW(i)
    for (int j = 0; j < n; j++)
      PLANE(a, i, j) = PLANE(b, i, j) + 1;
  }
}

void counted(COUNT n, float *restrict a, const float *restrict b)
{
#pragma acc parallel loop
  for (COUNT i = 0; i < n; i++)
    for (COUNT j = 0; j < n; j++)
      a[i * n + j] = b[i * n + j] + 1;
}

void falling(COUNT n, float *restrict a, const float *restrict b)
{
#pragma acc parallel loop
  FALLING(i)
    a[i] = b[i] + 1;
}

void narrow(float *restrict a, const float *restrict b)
{
#pragma acc parallel loop
  for (SHORT i = 0; i < 200; i++)
    for (SHORT j = 0; j < 200; j++)
      a[i * 200 + j] = b[i * 200 + j] + 1;
}
"""


@pytest.mark.parametrize("source", [PAIRS, PIXELS], ids=["pairs", "pixels"])
@pytest.mark.parametrize("target", ["generic-cpu", "generic-gpu"])
def test_linearised_arrays_get_the_kernels_of_arrays(target, source, tmp_path):
    path = tmp_path / "pairs.c"
    path.write_text(source)
    flat, true = (
        accshare("emit", "--kernel", path, f"--acc-target={target}", *define).stdout for define in (("-DFLAT",), ())
    )
    assert flat.count("__kernel") >= source.count("#pragma acc")
    assert flat.replace("(long)", "") == true.replace("(long)", "")


def test_other_spellings_get_the_kernels_of_plain_ones(tmp_path):
    path = tmp_path / "spellings.c"
    path.write_text(SPELLINGS)
    options = ("--kernel", path, "--acc-target=generic-cpu")
    spelled, plain = (accshare("emit", *options, *define).stdout for define in (("-DFLAT",), ()))
    assert plain.count("__kernel") == SPELLINGS.count("#pragma acc")
    assert loops(spelled) == loops(plain)


def loops(kernels):
    """Lines of kernels, with the names that iterators have as ``long`` and without conversions to it."""
    text = kernels.replace("(long)", "").replace("_at", "")
    return [
        line for line in text.splitlines() if "__kernel" not in line and "uint n" not in line and "long n" not in line
    ]
