/* Tiles that are stored back: rows walked in place, results that come from other tiles, and partly written tiles. */
#include "../../middle/programs/middle.h"

#define N 83
static int a[N][N], b[N][N];
static double x[N][N], y[N][N], line[N * 5];
static unsigned char bytes[N][N];

static void fresh(void)
{
  FILL2(a);
  FILL2(b);
  FILL2(x);
  FILL2(y);
  FILL(line);
  FILL2(bytes);
}

static unsigned long done(void)
{
  return DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(x) * 5 ^ DIGEST(y) * 7 ^ DIGEST(line) * 11 ^ DIGEST(bytes) * 13;
}

/* each row is a chain: strips hand the last elements on to the next */
static unsigned long walks(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int k = 1; k < m; k++)
        a[i][k] += a[i][k - 1];
    for (int i = 0; i < n; i++)
      for (int k = 3; k < m; k++)
        b[i][k] = 2 * b[i][k - 3] - b[i][k - 1];
    for (int j = 0; j < n; j++)
      for (int k = 2; k < m; k++)
        x[k][j] += x[k - 2][j];
    for (int i = 0; i < n; i++)
      for (int k = m - 2; k >= 0; k--)
        y[i][k] -= y[i][k + 1];
  }
  return done();
}

/* the same with a second array, whose tile is a strip behind or ahead */
static unsigned long chains(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int k = 1; k < m - 1; k++)
        a[i][k] = a[i][k - 1] + b[i][k + 1] * b[i][k];
    for (int i = 0; i < n; i++)
      for (int k = 2; k < m; k++) {
        x[i][k] += y[i][k - 1];
        y[i][k] = x[i][k - 2] - y[i][k];
      }
  }
  return done();
}

/* elements scaled in place, written without being read, and written with holes between them */
static unsigned long stores(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        a[i][j] *= 3;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        b[j][i] = a[i][j] + 1;
    for (int i = 0; i < n / 2; i++)
      for (int j = 0; j < m / 3; j++)
        x[2 * i + 1][3 * j] = y[i + j][2 * j] + i;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        if (j > i && i + j < m)
          bytes[i][j] = bytes[i][j] / 2 + j;
    for (int i = 0; i < n; i++)
      for (int j = i; j < m; j++)
        line[i + j] = 3;
  }
  return done();
}

/* one array is written and read by several statements, some of them under conditions */
static unsigned long several(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        x[i][j] = 0;
        for (int k = 0; k < m; k++)
          x[i][j] += a[i][k] * y[k][j];
        if (i < j)
          x[i][j] /= 2;
        b[i][j] += x[i][j] + a[i][j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        if (a[i][j] > 0)
          y[i][j] = x[i][j] + 1;
        else
          bytes[i][j] = a[i][j];
        for (int k = 0; k < m; k++)
          if (b[i][k] > b[k][j])
            y[i][j] += a[i][k] - a[k][j];
      }
  }
  return done();
}

/* written by rows of a work-item's own, all of one strip, then read by it */
static unsigned long rows(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < m; k++)
        a[i][k] = b[i][k] - b[i][m - 1 - k];
      double sum = 0;
      for (int k = 0; k < m; k++)
        sum += a[i][k] * k;
      for (int k = 0; k < m; k++)
        x[i][k] = sum - a[i][k];
    }
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < m; k++)
        y[k][j] = y[k][j] * 2 + (k > 0 ? y[k - 1][j] : 0);
      for (int k = m - 1; k > 0; k--)
        y[k - 1][j] += y[k][j];
    }
  }
  return done();
}

/* small windows that slide along a row */
static unsigned long windows(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int k = 0; k < m - 5; k++) {
        double sum = 0;
        for (int e = 0; e < 5; e++)
          sum += x[i][k + e] * (e - 1);
        x[i][k + 2] = sum - x[i][k];
      }
    for (int i = 0; i < n; i++)
      for (int k = 0; k < m; k++)
        for (int e = 0; e < 4; e++)
          line[i * 5 + e] += y[i][k];
    for (int i = 0; i < n; i++)
      for (int k = 0; k < m - 4; k++)
        for (int e = 0; e < 4; e++)
          a[i][k + e] += b[i][k] - e;
  }
  return done();
}

/* the host's loop goes over the pieces of one array; what one launch writes the next one reads */
static unsigned long elimination(int n)
{
  fresh();
#pragma acc kernels
  for (int k = 0; k < n - 1; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] % 3 * a[k][j] % 5;
#pragma acc kernels
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < n; i++)
      for (int k = 1; k < n; k++)
        x[i][k] += x[i][k - 1];
    for (int j = 0; j < n; j++)
      for (int k = 1; k < n; k++)
        x[k][j] -= x[k - 1][j] / 2;
  }
  return done();
}

int main(void)
{
  DEVICE(walks(N, N));
  DEVICE(walks(34, 4));
  EMPTY(walks(0, N));
  EMPTY(walks(N, 1));
  DEVICE(chains(N, N));
  DEVICE(chains(3, 35));
  DEVICE(stores(N, N));
  DEVICE(stores(40, 33));
  DEVICE(stores(1, 1));
  DEVICE(several(N, N));
  DEVICE(several(7, 33));
  EMPTY(several(7, 0));
  DEVICE(rows(N, N));
  DEVICE(rows(33, 2));
  DEVICE(windows(N, N));
  DEVICE(windows(N, 6));
  DEVICE(elimination(N));
  DEVICE(elimination(3));
  return 0;
}
