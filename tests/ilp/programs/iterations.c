/* Kernels whose work-items run several iterations side by side: one of each kind, with sizes that no tile divides. */
#include "../../middle/programs/middle.h"

#define N 90
static float a[N][N], b[N][N], c[N][N], d[N][N];
static int cube[18][19][40], other[18][19][40];
static int whole[N][N];
static long sums[N];

static void fresh(void)
{
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL2(d);
  FILL2(whole);
  FILL(sums);
  for (int k = 0; k < 18; k++) {
    FILL2(cube[k]);
    FILL2(other[k]);
  }
}

static unsigned long done(double more)
{
  return DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(c) * 5 ^ DIGEST(d) * 7 ^ DIGEST(other) * 17 ^ DIGEST(sums) * 19 ^ DIGEST(more) * 23;
}

/* a scalar lives across the strips */
static unsigned long product(int m, int n, int l)
{
  fresh();
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < l; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] += sum;
    }
  return done(0);
}

/* halos grow with the tile */
static unsigned long stencil(int m, int n)
{
  fresh();
#pragma acc kernels
  for (int i = 2; i < m - 1; i++)
    for (int j = 1; j < n - 2; j++)
      d[i][j] = a[i - 2][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 2] - 4 * a[i][j];
  return done(0);
}

/* the axis z */
static unsigned long volume(int l, int m, int n)
{
  fresh();
#pragma acc kernels
  for (int k = 1; k < l; k++)
    for (int i = 0; i < m; i++)
      for (int j = 1; j < n; j++)
        other[k][i][j] = cube[k - 1][i][j] + 2 * cube[k][i][j - 1] - cube[k][i][j];
  return done(0);
}

/* every work-item has a part of two results */
static unsigned long reduction(int m, int n)
{
  long sum = 7;
  int least = 1000;
  fresh();
#pragma acc parallel loop collapse(2) reduction(+ : sum) reduction(min : least)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int value = whole[i][j];
      sum += value;
      if (value < least)
        least = value;
    }
  return done(sum * 4096.0 + least);
}

/* several loops, statements between them, an array of each work-item's own */
static unsigned long imperfect(int m, int n, int l)
{
  fresh();
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float low = a[i][j], row[3];
      for (int k = 0; k < 3; k++)
        row[k] = low * k;
      for (int k = 0; k < l; k++)
        low = low < b[k][j] ? low : b[k][j];
      d[i][j] = low;
      float high = low;
      for (int k = 0; k < l; k++) {
        high = high > a[i][k] ? high : a[i][k];
        row[k % 3] += high;
      }
      c[i][j] = high - low + row[0] - row[1] + row[2];
    }
  return done(0);
}

/* the inner loop's bounds differ between the rows */
static unsigned long triangle(int n)
{
  fresh();
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = i; k < n; k++)
        sum += a[i][k] * b[j][k];
      c[i][j] = sum;
    }
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      d[i][j] = a[i][j] - 3 * b[j][i];
  return done(0);
}

/* conditions on the place and on the data */
static unsigned long conditional(int m, int n)
{
  fresh();
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float value = a[i][j];
      if (value > 10)
        value -= b[i][j];
      if (i + j > n / 2)
        c[i][j] = value;
      else if (b[i][j] < 0)
        d[i][j] = -value;
    }
  return done(0);
}

/* one loop, and one that takes every third iteration */
static unsigned long lines(unsigned n)
{
  fresh();
#pragma acc kernels
  for (unsigned i = 0; i < n; i++)
    sums[i] = 3 * sums[i] + i;
#pragma acc kernels
  for (int i = 1; i < (int)n; i += 3)
    a[1][i] += a[2][i];
  return done(0);
}

static const int weight[3][5] = {{1, 2, 3, 2, 1}, {2, 4, 6, 4, 2}, {1, 2, 3, 2, 1}};
static const int curve[4] = {3, 1, 4, 1};

/* a filter: short loops inside, its weights constants; and constants that the data choose */
static unsigned long filter(int m, int n)
{
  fresh();
#pragma acc kernels
  for (int i = 1; i < m - 1; i++)
    for (int j = 2; j < n - 2; j++) {
      int sum = 0, most = -1000;
      for (int v = 0; v < 3; v++)
        for (int u = 0; u < 5; u++) {
          int value = weight[v][u] * whole[i + v - 1][j + u - 2];
          sum += value;
          most = most > value ? most : value;
        }
      d[i][j] = (float)(sum - most);
    }
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      c[i][j] = (float)curve[whole[i][j] & 3];
  return done(0);
}

int main(void)
{
  DEVICE(product(N, N, N));
  DEVICE(product(67, 35, 33));
  DEVICE(stencil(N, N));
  DEVICE(stencil(20, 71));
  DEVICE(volume(18, 19, 40));
  DEVICE(volume(5, 17, 33));
  DEVICE(reduction(N, N));
  DEVICE(reduction(3, 65));
  DEVICE(imperfect(N, N, 40));
  DEVICE(imperfect(19, 37, 5));
  DEVICE(triangle(N));
  DEVICE(triangle(33));
  DEVICE(conditional(N, N));
  DEVICE(conditional(31, 66));
  DEVICE(lines(N));
  DEVICE(lines(5));
  DEVICE(filter(N, N));
  DEVICE(filter(9, 70));
  DEVICE(filter(2, 4));
  return 0;
}
