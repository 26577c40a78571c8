/* Loops one iteration after the other of which are parallel in parts. */
#include "../../middle/programs/middle.h"

#define N 67
static int p[N][N], x[4 * N];
static float A[N][N], B[N][N], y[N];

static void fill(void)
{
  FILL2(p);
  FILL2(A);
  FILL2(B);
  FILL(x);
  FILL(y);
}

/* row and column k are read by all others, before and after they change */
static unsigned long paths(int n)
{
#pragma acc kernels
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        p[i][j] = p[i][j] < (p[i][k] ^ p[k][j]) ? p[i][j] : p[i][k] ^ p[k][j];
  return DIGEST(p);
}

static unsigned long eliminated(int m, int n)
{
#pragma acc kernels
  for (int k = 0; k < m; k++)
    for (int i = m - 1; i >= 0; i--)
      for (int j = 0; j < n; j++)
        if (i != k)
          A[i][j] -= A[i][k] * A[k][j];
  return DIGEST(A);
}

/* the first row is there before the others use it, and inside the first column is */
static unsigned long edges(int times, int m, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        if (i == 0)
          A[0][j] = t + B[0][j] / 3;
        else
          A[i][j] = A[i][j] / 2 + A[0][n - 1 - j];
      }
    for (int i = 1; i < m; i++)
      for (int j = n; j-- > 0;) {
        float both = B[i][j] + B[i][0] * B[i][n - 1];
        B[i][j] = both / 5 + A[i - 1][j];
      }
  }
  return DIGEST(A) ^ DIGEST(B);
}

static unsigned long turned(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    x[i] += 3 * x[n - 1 - i];
  return DIGEST(x);
}

static unsigned long ends(int low, int n)
{
#pragma acc kernels
  for (int i = n; i >= low; i--)
    x[i] = x[i] * 5 + x[n] + (x[low] ^ i);
  return DIGEST(x);
}

static unsigned long last(short low, long n)
{
#pragma acc kernels
  for (long i = low; i != n; i++)
    x[i] = x[i] * 5 + x[n - 1];
  return DIGEST(x);
}

/* these stay as they are: every iteration needs the one before, iterators wrap around, iterations are left out */
static unsigned long never(int n)
{
#pragma acc kernels
  {
    for (int i = 1; i < n; i++)
      x[i] = x[i - 1] * 3 + x[0] + x[n - 1];
    for (unsigned i = 0; i < (unsigned)n; i++)
      x[i] = x[i] * 5 + x[n - 1];
    for (int i = 0; i < n; i += 3)
      x[i] = x[i] * 7 + x[0];
  }
  return DIGEST(x);
}

int main(void)
{
  DEVICE(paths(N));
  DEVICE(paths(2));
  DEVICE(paths(1));
  EMPTY(paths(0));
  DEVICE(eliminated(N, N - 9));
  DEVICE(eliminated(N - 20, N));
  DEVICE(eliminated(3, 1));
  EMPTY(eliminated(2, 0));
  DEVICE(edges(3, N, N));
  DEVICE(edges(1, 2, 2));
  DEVICE(edges(2, 2, 1));
  DEVICE(edges(2, 1, 7));
  EMPTY(edges(0, 5, 5));
  DEVICE(turned(4 * N));
  DEVICE(turned(3 * N + 2));
  DEVICE(turned(2));
  DEVICE(turned(1));
  EMPTY(turned(0));
  DEVICE(ends(3, 2 * N));
  DEVICE(ends(7, 8));
  DEVICE(ends(5, 5));
  EMPTY(ends(5, 4));
  DEVICE(last(2, 3 * N));
  DEVICE(last(0, 1));
  HOST(never(3 * N));
  return 0;
}
