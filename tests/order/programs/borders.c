/* Neighbours with other iterations, which are one where these are the same: a border is left out, rows at one end, or
 * numbers are others. */
#include "../../middle/programs/middle.h"

#define N 71
static int p[N][N], q[N][N], r[N][N];
static int x[N], y[N], z[N];

static void fill(void)
{
  FILL2(p);
  FILL2(q);
  FILL2(r);
  FILL(x);
  FILL(y);
  FILL(z);
}

/* the second leaves out a border on all sides */
static unsigned long inside(int n, int m)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        q[i][j] = p[i][j] * 5 + r[i][j];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        r[i][j] = q[i][j] ^ p[i][j];
  }
  return DIGEST(q) ^ DIGEST(r);
}

/* the first one leaves out a row, and the second changes what it read */
static unsigned long fewer(int n, int m)
{
#pragma acc kernels
  {
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < m; j++)
        q[i][j] = p[i][j] - r[i][j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        p[i][j] = q[i][j] + 3;
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* other numbers for the same rows, and each has a row that the other one lacks */
static unsigned long moved(int n, int m)
{
#pragma acc kernels
  {
    for (int i = 0; i < n - 2; i++)
      for (int j = 0; j < m; j++)
        q[i + 1][j] = p[i + 1][j] * 3;
    for (int i = 2; i < n; i++)
      for (int j = 0; j < m; j++)
        r[i][j] = q[i][j] - p[i][j];
  }
  return DIGEST(q) ^ DIGEST(r);
}

/* three, each with a narrower border than the next */
static unsigned long narrowing(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        q[i][j] = p[i][j] + 1;
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        r[i][j] = q[i][j] * 2;
    for (int i = 2; i < n; i++)
      for (int j = 0; j < n; j++)
        p[i][j] = r[i][j] - q[i][j];
  }
  return DIGEST(p) ^ DIGEST(q) ^ DIGEST(r);
}

/* these are apart: neighbours are needed, numbers may wrap around, ends are not known, a launch costs more than it saves */
static unsigned long apart(int n, unsigned m, int end)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        q[i][j] = p[i][j] + 1;
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        r[i][j] = q[i - 1][j] - q[i + 1][j];
    for (unsigned i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        q[i][j] = r[i][j] * 2;
    for (unsigned i = 1; i < m; i++)
      for (int j = 0; j < n; j++)
        p[i][j] += q[i][j];
    for (int i = 0; i < end; i++)
      for (int j = 0; j < n; j++)
        p[i][j] -= r[i][j];
    for (int i = 0; i < n; i++)
      y[i] = x[i] * 3;
    for (int i = 1; i < n; i++)
      z[i] = y[i] - x[i];
  }
  return DIGEST(p) ^ DIGEST(q) ^ DIGEST(r) ^ DIGEST(y) ^ DIGEST(z);
}

int main(void)
{
  fill();
  DEVICE(inside(N, N - 2));
  DEVICE(inside(3, 3));
  DEVICE(inside(2, N));
  DEVICE(inside(N, 2));
  DEVICE(inside(1, 1));
  DEVICE(fewer(N, N));
  DEVICE(fewer(1, N));
  DEVICE(fewer(2, 1));
  DEVICE(moved(N, N));
  DEVICE(moved(3, N));
  DEVICE(moved(4, 1));
  DEVICE(narrowing(N));
  DEVICE(narrowing(2));
  DEVICE(narrowing(1));
  DEVICE(apart(N, N, N));
  DEVICE(apart(N, N - 1, 2));
  return 0;
}
