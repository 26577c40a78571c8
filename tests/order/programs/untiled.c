/* Tiles that were made by hand, for a cache that is not there: where iterations may come in another order, loops are
   whole again. */
#include "../../middle/programs/middle.h"

#define N 70
#define BS 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))
static float A[N + BS][N + BS], B[N + BS][N + BS], C[N + BS][N + BS], x[N + BS];
static int p[N + BS][N + BS], q[N + BS][N + BS];

static unsigned long product(int n)
{
#pragma acc kernels
  for (int ii = 0; ii < n; ii += BS)
    for (int jj = 0; jj < n; jj += BS)
      for (int kk = 0; kk < n; kk += BS)
        for (int i = ii; i < MIN(ii + BS, n); i++)
          for (int j = jj; j < MIN(jj + BS, n); j++) {
            float sum = C[i][j];
            for (int k = kk; k < MIN(kk + BS, n); k++)
              sum += A[i][k] * B[k][j];
            C[i][j] = sum / 2;
          }
  return DIGEST(C);
}

/* the bounds as two comparisons, one of them the other way around */
static unsigned long turned(int m, int n)
{
#pragma acc kernels
  for (int ii = 0; ii <= m - 1; ii += BS)
    for (int jj = 0; jj < n; jj += BS)
      for (int i = ii; i < ii + BS && i < m; i++)
        for (int j = jj; n > j && j <= jj + BS - 1; ++j)
          B[j][i] = A[i][j] + jj / BS * 0;
  return DIGEST(B);
}

/* points count from the first one of their tile; the last tile is whole, whatever n is */
static unsigned long relative(int n)
{
#pragma acc parallel loop collapse(2) gang
  for (int ii = 0; ii < n; ii += BS)
    for (int jj = 0; jj < n; jj += BS)
      for (int kk = 0; kk < n; kk += BS)
        for (int i = 0; i < BS; i++)
          for (int k = 0; k < BS; k++)
            for (int j = 0; j < BS; j++)
              C[ii + i][jj + j] += A[ii + i][kk + k] * B[kk + k][jj + j] / 64;
  return DIGEST(C);
}

/* a tile of four rows, each with a sum of its own */
static unsigned long sums(long m, long n, const float *restrict a, float *restrict c)
{
#pragma acc parallel loop
  for (long i = 0; i < m; i += 4)
    for (long j = 0; j < n; j++) {
      float sum[4];
      for (long r = 0; r < 4; r++)
        sum[r] = x[j];
      for (long k = 0; k < n; k++) {
        float b = B[k][j];
        for (long r = 0; r < 4; r++)
          sum[r] += a[(i + r) * (N + BS) + k] * b / 32;
      }
      for (long r = 0; r < 4; r++)
        c[(i + r) * (N + BS) + j] = sum[r];
    }
  return DIGEST(C);
}

/* tiles in tiles */
static unsigned long twice(int n)
{
  int i, j, ii, jj, iii;
#pragma acc kernels
  for (iii = 1; iii < n; iii += 2 * BS)
    for (jj = 0; jj < n; jj += BS)
      for (ii = iii; ii < MIN(n, iii + 2 * BS); ii += BS / 2)
        for (i = ii; i < MIN(n, ii + BS / 2); i++)
          for (j = jj; j < MIN(n, jj + BS); j++)
            p[i][j] = (p[i][j] * 3 + q[j][i]) & 65535;
  return DIGEST(p);
}

/* rows of a tile come before the next tile's, and need elements of that as they were */
static unsigned long before(int n)
{
#pragma acc kernels
  for (int jj = 0; jj < n - 1; jj += BS)
    for (int i = 1; i < n; i++)
      for (int j = jj; j < MIN(jj + BS, n - 1); j++)
        p[i][j] = (p[i - 1][j + 1] * 3 + i) & 65535;
  return DIGEST(p);
}

/* more is said of a tile than which points it has */
static unsigned long numbered(int n)
{
#pragma acc kernels
  for (int ii = 0; ii < n; ii += BS)
    for (int i = ii; i < MIN(ii + BS, n); i++)
      for (int j = 0; j < n; j++)
        p[i][j] += ii * q[i][j] + q[ii][j];
  return DIGEST(p);
}

/* tiles that leave points out, and tiles that have some twice */
static unsigned long apart(int n)
{
#pragma acc kernels
  for (int ii = 0; ii < n; ii += BS)
    for (int j = 0; j < n; j++)
      for (int i = ii; i < MIN(ii + BS / 2, n); i++)
        p[i][j] = (p[i][j] * 5 + q[j][i]) & 65535;
#pragma acc kernels
  for (int ii = 0; ii < n; ii += BS)
    for (int j = 0; j < n; j++)
      for (int i = ii; i < MIN(ii + BS + 3, n); i++)
        p[i][j] = (p[i][j] * 7 + q[j][i]) & 65535;
  return DIGEST(p);
}

/* what is promised of tiles is not promised of their points */
static unsigned long promised(int n)
{
#pragma acc parallel loop
  for (int ii = 0; ii < n; ii += BS)
    for (int i = ii + 1; i < MIN(ii + BS, n); i++)
      for (int j = 0; j < n; j++)
        q[i][j] = (q[i - 1][j] * 3 + p[i][j]) & 65535;
  return DIGEST(q);
}

/* nests in one tile, the second of which needs what the first one left in the same row */
static unsigned long several(int n)
{
#pragma acc kernels
  for (int ii = 0; ii < n; ii += BS) {
    for (int i = ii; i < MIN(ii + BS, n); i++)
      for (int j = 0; j < n; j++)
        p[i][j] = (q[i][j] * 3 + 1) & 65535;
    for (int i = 0; i < BS; i++)
      for (int j = 0; j < n; j++)
        if (ii + i < n)
          q[ii + i][j] = p[ii + i][n - 1 - j];
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* a statement declares what the one before it does not */
static unsigned long unlike(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i += 2) {
    x[i] = A[0][i] * 2;
    float next = A[0][i + 1];
    x[i + 1] = next * 3;
  }
  return DIGEST(x);
}

int main(void)
{
  FILL2(A);
  FILL2(B);
  FILL2(C);
  FILL(x);
  FILL2(p);
  FILL2(q);
  DEVICE(product(N));
  DEVICE(product(1));
  DEVICE(product(BS));
  EMPTY(product(0));
  DEVICE(turned(N - 1, 33));
  DEVICE(relative(N));
  DEVICE(relative(2 * BS));
  EMPTY(relative(0));
  DEVICE(sums(N, N - 5, A[0], C[0]));
  DEVICE(sums(8, 3, A[0], C[0]));
  DEVICE(twice(N));
  DEVICE(twice(2));
  DEVICE(before(N));
  DEVICE(numbered(N));
  DEVICE(apart(N));
  DEVICE(promised(N));
  DEVICE(several(N));
  DEVICE(several(5));
  DEVICE(unlike(N));
  return 0;
}
