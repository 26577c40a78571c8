/* Loops with steps, downwards, with no or one iteration, around each other in all ways; staged arrays in each. */
#include "../../middle/programs/middle.h"

#define N 90
static int a[N][N], b[N][N], c[N][N], v[N * 4];
static float w[N * 4];

static void fresh(void)
{
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL(v);
  FILL(w);
}

static unsigned long done(void)
{
  return DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(c) * 5 ^ DIGEST(v) * 7 ^ DIGEST(w) * 11;
}

/* mapped loops with steps, from anywhere */
static unsigned long steps(int n, int from)
{
  fresh();
#pragma acc kernels
  {
    for (int i = from; i < n; i += 2)
      for (int j = 1; j < n - 1; j += 3)
        c[i][j] = a[i][j - 1] + a[i][j + 1] + b[j][i];
    for (int i = n - 1; i >= from; i -= 3)
      for (int j = n - 2; j > 0; j--)
        c[i][j] += a[i][j - 1] - a[i][j + 1] * b[j][i];
    for (int i = n - 1; i > 1; i -= 2)
      v[i] = w[i] + w[i - 2] * w[i - 1];
    for (int i = from; i < n; i += 3)
      for (int j = from + 1; j < n; j += 2)
        for (int k = 0; k < n; k++)
          c[i][j] += a[i][k] * b[k][j];
  }
  return done();
}

/* sequential loops with steps, downwards, and both */
static unsigned long strides(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 1; k < m; k += 2)
          c[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int sum = 1;
        for (int k = m - 1; k >= 0; k--)
          sum = sum % 1000 * 3 + a[i][k] - b[k][j];
        for (int k = 30; k > 0; k -= 4)
          sum = sum % 1000 * 3 + a[i][k] - b[k][j];
        c[i][j] += sum;
      }
  }
  return done();
}

/* strips around loops, loops around strips, and strips that begin late */
static unsigned long nests(int n, int m, int l)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int sum = 0;
        for (int t = 0; t < l; t++)
          for (int k = t; k < m; k++)
            sum = (sum + a[i][k] * b[k][j] + t) % 12345;
        c[i][j] = sum;
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int sum = 0;
        for (int k = l; k < m; k++) {
          int part = 1;
          for (int t = 0; t < 4; t++)
            part += a[i][k - l + t] * b[k][t];
          sum = (sum * 3 + part) % 1000;
        }
        c[i][j] -= sum;
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int sum = 0;
        for (int t = 3; t > 0; t--) {
          sum *= 2;
          for (int k = 0; k < m; k++)
            sum += a[i][k] - b[k][j];
          for (int k = 0; k < l; k++)
            sum -= a[k][j];
        }
        c[i][j] ^= sum;
      }
  }
  return done();
}

/* triangles from all sides; some work-groups and some strips have nothing to do */
static unsigned long corners(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++)
        for (int k = i; k <= j; k++)
          c[i][j] += a[i][k] - b[k][j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n - i; j++)
        for (int k = 0; k < m - i - j; k++)
          c[i][j] += a[i][k] - b[k][j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = m - i; k < m; k++)
          if (k >= 0)
            c[i][j] -= a[j][k] - b[k][i];
    for (int i = 40; i < n; i++)
      for (int k = i - 40; k < i; k++)
        v[i] += a[i][k] + w[k];
  }
  return done();
}

/* values that live from strip to strip, and an array of a work-item's own */
static unsigned long own(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int last[4], most = -999, where = -1;
        for (int e = 0; e < 4; e++)
          last[e] = e - i;
        for (int k = 0; k < m; k++) {
          last[k % 4] = a[i][k] + last[(k + 1) % 4] % 7;
          if (b[k][j] > most) {
            most = b[k][j];
            where = k;
          }
        }
        c[i][j] = last[0] + 3 * last[1] + 5 * last[2] + 7 * last[3] + most * where;
      }
  }
  return done();
}

/* one strip at most, and only some work-groups have it */
static unsigned long ends(int n, int m)
{
  fresh();
#pragma acc kernels loop
  for (int i = 1; i < n; i++) {
    int sum = 0;
    for (int k = i; k < 5; k++)
      sum += a[i][i] + b[i][k];
    c[i][m] += sum;
  }
  return done();
}

/* sums over the whole grid of what comes from tiles */
static unsigned long totals(int n, int m)
{
  int sum = 3, most = -1000000;
  fresh();
#pragma acc parallel loop collapse(2) reduction(+:sum) reduction(max:most)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int own = 0;
      for (int k = 0; k < m; k++)
        own += a[i][k] * b[k][j];
      sum += own % 100;
      if (own > most)
        most = own;
    }
  return done() + sum + most * 7L;
}

int main(void)
{
  DEVICE(steps(N, 0));
  DEVICE(steps(67, 5));
  DEVICE(steps(4, 1));
  DEVICE(strides(N, N));
  DEVICE(strides(33, 35));
  DEVICE(strides(3, 1));
  DEVICE(strides(3, 0));
  DEVICE(nests(N, N, 3));
  DEVICE(nests(35, 65, 37));
  DEVICE(nests(9, 1, 0));
  DEVICE(corners(N, N));
  DEVICE(corners(45, 33));
  DEVICE(corners(2, 1));
  DEVICE(own(N, N));
  DEVICE(own(9, 1));
  DEVICE(own(9, 0));
  DEVICE(ends(N, 5));
  DEVICE(ends(3, 0));
  DEVICE(totals(N, N));
  DEVICE(totals(33, 1));
  return 0;
}
