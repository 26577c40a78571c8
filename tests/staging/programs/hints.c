/* Share hints of all shapes; several iterations a work-item, and what it keeps for each of them. */
#include "../../middle/programs/middle.h"

#define N 88
static float a[N][N], b[N][N], c[N][N];
static double v[N * 5], w[N * 5];
static int cube[13][30][N], out[13][30][N], deep[5][6][7][40], flat[5][6][7][40];

static void fresh(void)
{
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL(v);
  FILL(w);
  for (int k = 0; k < 13; k++) {
    FILL2(cube[k]);
    FILL2(out[k]);
  }
  for (int k = 0; k < 30; k++) {
    FILL2(deep[k / 6][k % 6]);
    FILL2(flat[k / 6][k % 6]);
  }
}

static unsigned long done(void)
{
  return DIGEST(c) ^ DIGEST(w) * 3 ^ DIGEST(out) * 5 ^ DIGEST(flat) * 7;
}

#define PRODUCT(NAME, A_, B_) \
  static unsigned long NAME(int n, int m) \
  { \
    fresh(); \
    _Pragma(A_) _Pragma(B_) \
    for (int i = 0; i < n; i++) \
      for (int j = 0; j < n; j++) { \
        float sum = 0; \
        for (int k = 0; k < m; k++) \
          sum += a[i][k] * b[k][j]; \
        c[i][j] = sum - c[i][j]; \
      } \
    return done(); \
  }

PRODUCT(vague, "acc kernels loop", "acc share(a[TB_Y][*]:coalesce, b[*][TB_X])")
PRODUCT(fixed, "acc share(a[TB_Y][24], b[24][TB_X]:coalesce)", "acc parallel loop collapse(2)")
PRODUCT(odd, "acc share(a[TB_Y][7], b[7][TB_X])", "acc kernels loop")
PRODUCT(wide, "acc share(a[TB_Y * 4][16], b[16][TB_X * 2])", "acc kernels loop")
PRODUCT(tall, "acc share(a[8 * TB_Y][*])", "acc kernels loop")
PRODUCT(exchanged, "acc share(a[TB_X][*], b[*][TB_Y])", "acc kernels loop")
PRODUCT(disagreeing, "acc share(a[TB_Y][16], b[8][TB_X])", "acc kernels loop")
PRODUCT(constant, "acc share(a[8][8], b[8][32])", "acc kernels loop")
PRODUCT(one, "acc share(b[1][TB_X * 3])", "acc kernels loop")

/* each work-item has several rows; scalars and an array live from strip to strip, for each row */
static unsigned long expanded(int n, int m)
{
  fresh();
#pragma acc kernels loop
#pragma acc share(a[TB_X * 2][8])
  for (int i = 0; i < n; i++) {
    float sum = 0, most = -999, last[3];
    for (int e = 0; e < 3; e++)
      last[e] = e;
    for (int k = 0; k < m; k++) {
      sum += a[i][k];
      last[k % 3] -= a[i][k] + most;
      if (a[i][k] > most)
        most = a[i][k];
    }
    w[i] = sum + most * 2 + last[0] + 3 * last[1] + 5 * last[2];
  }
#pragma acc kernels loop
#pragma acc share(a[2 * TB_Y][16], b[16][TB_X * 2])
  for (int i = 1; i < n; i += 2)
    for (int j = n - 1; j >= 0; j--) {
      float sum = 0, other = 1;
      for (int k = 0; k < m; k++)
        sum += a[i][k] * b[k][j];
      for (int k = 0; k < m; k++)
        other -= a[i][k] - b[k][j] + sum;
      c[i][j] = sum + other;
    }
  return done();
}

/* borders: paid for by the hint, and on top of it */
static unsigned long borders(int n)
{
  fresh();
#pragma acc kernels loop
#pragma acc share(a[TB_Y + 2][TB_X + 2])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      c[i][j] = a[i - 1][j] + a[i + 1][j] - a[i][j - 1] * a[i][j + 1];
#pragma acc kernels loop
#pragma acc share(a[TB_Y * 2 + 2][TB_X], b[TB_Y][(TB_X + 1) * 2])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      c[i][j] += a[i - 1][j] + a[i + 1][j] * b[i][j - 1] - b[i][j + 1];
#pragma acc kernels loop
#pragma acc share(v[TB_X * 3 + 4])
  for (int i = 2; i < 5 * n - 2; i++)
    w[i] = v[i - 2] + v[i + 2] - 2 * v[i];
  return done();
}

static unsigned long transposes(int n, int m)
{
  fresh();
#pragma acc kernels loop
#pragma acc share(a[TB_X][TB_Y]:coalesce)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[i][j] = a[j][i];
#pragma acc kernels loop
#pragma acc share(b[TB_Y][TB_X * 2]:coalesce, c[*][*])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[j][i] += b[i][j];
  return done();
}

static unsigned long three(int l, int m, int n)
{
  fresh();
#pragma acc kernels loop
#pragma acc share(cube[TB_Z + 2][TB_Y + 2][TB_X + 2])
  for (int i = 1; i < l - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int k = 1; k < n - 1; k++)
        out[i][j][k] = cube[i - 1][j][k] + cube[i + 1][j][k] - cube[i][j - 1][k] - cube[i][j + 1][k] +
                       cube[i][j][k - 1] * cube[i][j][k + 1];
#pragma acc kernels loop
#pragma acc share(cube[TB_Z * 2][4][*])
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++)
        out[i][j][k] += cube[i][k % 2][j] + cube[i][j][k];
  return done();
}

static unsigned long four(int n)
{
  fresh();
#pragma acc kernels loop
#pragma acc share(deep[2][TB_Z][TB_Y][TB_X + 1])
  for (int h = 0; h < 5; h++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 7; j++)
        for (int k = 0; k < n - 1; k++)
          flat[h][i][j][k] = deep[h][i][j][k] - deep[h][i][j][k + 1];
  return done();
}

/* arrays addressed by rows of n have two dimensions in the hint */
static unsigned long linear(int n, int m, const float *restrict p, const float *restrict q, float *restrict r)
{
#pragma acc kernels loop
#pragma acc share(p[TB_Y][16], q[16][TB_X * 2])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < m; k++)
        sum += p[i * m + k] * q[k * n + j];
      r[i * n + j] = sum;
    }
  return digest(0, r, sizeof(float) * n * n);
}

/* hints on what is written, and on what is never staged */
static unsigned long written(int n, int m)
{
  fresh();
#pragma acc kernels loop
#pragma acc share(c[TB_X * 2][8])
  for (int i = 0; i < n; i++)
    for (int k = 1; k < m; k++)
      c[i][k] += c[i][k - 1];
#pragma acc kernels loop
#pragma acc share(c[TB_Y * 2][TB_X * 2], a[*][*])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[i][j] = c[i][j] * 2 + a[i / 2][j / 3];
  return done();
}

/* one hint for a block of several kernels */
static unsigned long kernels(int n, int m)
{
  fresh();
#pragma acc share(a[TB_Y][*], b[TB_X + 1][*])
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++)
          c[i][j] += a[i][k] * a[j][k];
    for (int i = 0; i < n - 1; i++) {
      float sum = 0;
      for (int k = 0; k < m; k++)
        sum += b[i][k] * b[i + 1][k];
      w[i] = sum;
    }
  }
  return done();
}

int main(void)
{
  static float p[64 * 64], q[64 * 64], r[64 * 64];
  FILL(p);
  FILL(q);
  DEVICE(vague(N, N));
  DEVICE(fixed(N, N));
  DEVICE(odd(N, N));
  DEVICE(wide(N, N));
  DEVICE(wide(33, 1));
  DEVICE(tall(N, N));
  DEVICE(exchanged(N, N));
  DEVICE(disagreeing(N, N));
  DEVICE(constant(N, N));
  DEVICE(one(N, N));
  DEVICE(expanded(N, N));
  DEVICE(expanded(67, 5));
  DEVICE(expanded(3, 0));
  DEVICE(borders(N));
  DEVICE(borders(3));
  DEVICE(transposes(N, N));
  DEVICE(transposes(N, 31));
  DEVICE(three(13, 30, N));
  DEVICE(three(3, 3, 3));
  DEVICE(four(40));
  DEVICE(linear(64, 64, p, q, r));
  DEVICE(linear(33, 37, p, q, r));
  DEVICE(written(N, N));
  DEVICE(written(35, 2));
  DEVICE(kernels(N, N));
  DEVICE(kernels(2, 3));
  return 0;
}
