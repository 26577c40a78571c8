/* Tiles with borders: stencils of all shapes, in one to four dimensions, on sizes that no tile divides. */
#include "../../middle/programs/middle.h"

#define N 75
#define M 41
#define D 19

static float a[N * 9], b[N * 9];
static double p[M][N], q[M][N];
static int u[D][D + 3][N], v[D][D + 3][N];
static short x[7][9][11][13], y[7][9][11][13];

static void fresh(void)
{
  FILL(a);
  FILL(b);
  FILL2(p);
  FILL2(q);
  for (int k = 0; k < D; k++) {
    FILL2(u[k]);
    FILL2(v[k]);
  }
  for (int k = 0; k < 7 * 9; k++) {
    FILL2(x[k / 9][k % 9]);
    FILL2(y[k / 9][k % 9]);
  }
}

static unsigned long done(void)
{
  return DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(p) * 5 ^ DIGEST(q) * 7 ^ DIGEST(u) * 11 ^ DIGEST(v) * 13 ^ DIGEST(y) * 17;
}

/* 3 points, one- and two-sided, far apart, and a border on negative offsets */
static unsigned long lines(int n)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 1; i < n - 1; i++)
      b[i] = a[i - 1] + 2 * a[i] + a[i + 1];
    for (int i = 0; i < n - 7; i++)
      b[i] += a[i] + a[i + 7];
    for (int i = 30; i < n; i++)
      b[i] += 3 * a[i - 30] + a[i - 1];
    for (int i = -4; i < n; i++)
      b[i + 4] += a[i + 5] - a[i + 4];
  }
  return done();
}

static unsigned long pixels(int m, int n)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        q[i][j] = p[i][j] + p[i - 1][j] + p[i + 1][j] + p[i][j - 1] + p[i][j + 1];
    for (int i = 2; i < m; i++)
      for (int j = 0; j < n - 3; j++)
        q[i][j] += p[i - 2][j + 3] - p[i][j];
  }
#pragma acc kernels
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double sum = 0;
      for (int k = -1; k <= 1; k++)
        for (int l = -1; l <= 1; l++)
          sum += p[i + k][j + l] * (k + 2 * l);
      q[i][j] -= sum;
    }
  return done();
}

/* loops over x and y in the other order, and a transposed border */
static unsigned long transposed(int m, int n)
{
  fresh();
#pragma acc kernels
  {
    for (int j = 1; j < n - 1; j++)
      for (int i = 1; i < m - 1; i++)
        q[i][j] = p[i][j] + p[i - 1][j] + p[i + 1][j] + p[i][j - 1] + p[i][j + 1];
    for (int i = 0; i < m - 2; i++)
      for (int j = 1; j < m - 2; j++)
        q[i][j] += p[j][i + 1] - p[j - 1][i] + p[j + 1][i + 2];
  }
  return done();
}

static unsigned long cubes(int l, int m, int n)
{
  fresh();
#pragma acc kernels
  for (int i = 1; i < l - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int k = 1; k < n - 1; k++)
        v[i][j][k] = 6 * u[i][j][k] - u[i - 1][j][k] - u[i + 1][j][k] - u[i][j - 1][k] - u[i][j + 1][k] -
                     u[i][j][k - 1] - u[i][j][k + 1];
#pragma acc kernels
  for (int i = 1; i < l - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int k = 1; k < n - 1; k++) {
        int sum = 0;
        for (int e = -1; e < 2; e++)
          for (int f = -1; f < 2; f++)
            for (int g = -1; g < 2; g++)
              sum += u[i + e][j + f][k + g] * (e + 3 * f + 9 * g);
        v[i][j][k] ^= sum;
      }
  return done();
}

static unsigned long four_dimensions(int n)
{
  fresh();
#pragma acc kernels
  for (int h = 1; h < 6; h++)
    for (int i = 0; i < 8; i++)
      for (int j = 1; j < n; j++)
        for (int k = 0; k < 12; k++)
          y[h][i][j][k] = x[h - 1][i][j][k] + x[h + 1][i + 1][j - 1][k + 1] * 2;
  return done();
}

/* the host repeats the sweep; each of two arrays is read with a border */
static unsigned long sweeps(int steps, int m, int n)
{
  fresh();
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        q[i][j] = p[i - 1][j] + p[i + 1][j] - p[i][j - 1] - p[i][j + 1];
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        p[i][j] = q[i][j] - q[i - 1][j] + q[i][j + 1];
  }
  return done();
}

/* row t is made from row t - 1: the host's iterator picks the rows of the tile */
static unsigned long rows(int m, int n)
{
  fresh();
#pragma acc kernels
  for (int t = 1; t < m; t++)
    for (int j = 2; j < n; j++)
      p[t][j] = p[t - 1][j] + p[t - 1][j - 1] - p[t - 1][j - 2];
  return done();
}

/* another array's border is read around this one's */
static unsigned long two_arrays(int m, int n)
{
  fresh();
#pragma acc kernels
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      p[i][j] = p[i][j] * 2 + q[i - 1][j] + q[i + 1][j + 1] - q[i][j - 1];
  return done();
}

int main(void)
{
  DEVICE(lines(9 * N));
  DEVICE(lines(40));
  DEVICE(pixels(M, N));
  DEVICE(pixels(3, 4));
  DEVICE(pixels(M, 33));
  DEVICE(transposed(M, N));
  DEVICE(transposed(4, 7));
  DEVICE(cubes(D, D + 3, N));
  DEVICE(cubes(3, 4, 5));
  DEVICE(four_dimensions(11));
  DEVICE(four_dimensions(2));
  EMPTY(four_dimensions(1));
  DEVICE(sweeps(3, M, N));
  EMPTY(sweeps(0, M, N));
  EMPTY(sweeps(2, 2, N));
  DEVICE(rows(M, N));
  DEVICE(rows(2, 3));
  DEVICE(two_arrays(M, N));
  DEVICE(two_arrays(5, 38));
  return 0;
}
