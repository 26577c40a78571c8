/* Loops one after the other in a loop on the host, which are one once they count alike. */
#include "../../middle/programs/middle.h"

#define N 71
static float u[N], v[N];
static int p[N][N], q[N][N], x[2 * N], y[2 * N];

static void fill(void)
{
  FILL(u);
  FILL(v);
  FILL2(p);
  FILL2(q);
  FILL(x);
  FILL(y);
}

static unsigned long down(int times, int low, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = low; i < n; i++)
      u[i] += v[i] / 2;
    for (int i = n - 1; i >= low; i--)
      v[i] -= u[i] / 4 + t;
  }
  return DIGEST(u) ^ DIGEST(v);
}

/* indices of their own */
static unsigned long apart(int times, int m, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = m; i > 0; i--)
      for (int j = 0; j < n; j++)
        p[i - 1][j] = q[i - 1][j] * 3 + (j & i);
    for (int r = -2; r < m - 2; r++)
      for (int c = 2; c < n + 2; c++)
        q[r + 2][c - 2] = p[r + 2][c - 2] ^ (r * 5 + c);
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* a loop inside is as long as the one outside tells */
static unsigned long corners(int times, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < n; i++)
      for (int k = 1; k < i; k++)
        p[i][k] += p[i][k - 1] & q[k][i];
    for (int i = 3; i <= n + 2; i++) {
      int s = i;
      for (int k = 4; k < i - 1; k++) {
        s ^= p[i - 3][k - 3];
        p[i - 3][k - 2] += p[i - 3][k - 3] * s;
      }
    }
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* these are apart: elements of neighbours, a loop that goes on with what it did, other ends, other types */
static unsigned long never(int times, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 1; i < n; i++)
      x[i] = y[i - 1] + y[i] + t;
    for (int i = n - 1; i >= 1; i--)
      y[i] = x[i - 1] * 3;
    for (int i = 1; i < n - 1; i++)
      x[i] ^= y[i];
    for (unsigned i = 2; i < n; i++)
      y[i] += x[i - 1];
  }
  return DIGEST(x) ^ DIGEST(y);
}

int main(void)
{
  DEVICE(down(5, 0, N));
  DEVICE(down(1, 3, 4));
  EMPTY(down(4, 3, 3));
  EMPTY(down(0, 0, N));
  DEVICE(apart(4, N, N - 2));
  DEVICE(apart(3, 1, 1));
  EMPTY(apart(3, 0, N));
  DEVICE(corners(3, N));
  DEVICE(corners(2, 2));
  DEVICE(never(3, 2 * N));
  DEVICE(never(2, 3));
  return 0;
}
