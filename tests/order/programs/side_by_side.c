/* Loops over elements, one after the other in a region, which are one where each needs what its own iteration has left. */
#include "../../middle/programs/middle.h"

#define N 71
static float x[N], y[N], z[N], w[N];
static int p[N][N], q[N][N], r[N][N];

static void fill(void)
{
  FILL(x);
  FILL(y);
  FILL(z);
  FILL(w);
  FILL2(p);
  FILL2(q);
  FILL2(r);
}

static unsigned long three(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      y[i] = 2 * x[i];
    for (int j = 0; j < n; j++)
      z[j] = y[j] + x[j];
    for (int i = 0; i < n; i++)
      w[i] -= z[i] * y[i];
  }
  return DIGEST(y) ^ DIGEST(z) ^ DIGEST(w);
}

/* one counts down, the other from elsewhere */
static unsigned long turned(int n)
{
#pragma acc kernels
  {
    for (int i = n - 1; i >= 1; i--)
      y[i] = x[i] / 2;
    for (int i = 0; i < n - 1; i++)
      z[i] = y[i + 1] * 3;
  }
  return DIGEST(y) ^ DIGEST(z);
}

/* what the first reads, the second changes one iteration later */
static unsigned long changed(int n, int m)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        q[i][j] = p[i][j] * 5 + r[i][j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        p[i][j] = q[i][j] ^ 9;
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* these are apart: the other end, neighbours on both sides, only some iterations, rows and columns, other ends */
static unsigned long apart(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      y[i] = x[i] + 1;
    for (int i = 0; i < n; i++)
      z[i] = y[n - 1 - i];
    for (int i = 1; i < n - 1; i++)
      w[i] = z[i - 1] + z[i + 1];
    for (int i = 1; i < n - 1; i++) {
      if (w[i] > 1)
        x[i] = w[i];
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        q[i][j] = p[i][j] + 1;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        r[i][j] = q[j][i] * 2;
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        p[i][j] = r[i][j] + 1;
  }
  return DIGEST(x) ^ DIGEST(y) ^ DIGEST(z) ^ DIGEST(w) ^ DIGEST(p) ^ DIGEST(q) ^ DIGEST(r);
}

int main(void)
{
  DEVICE(three(N));
  DEVICE(three(1));
  EMPTY(three(0));
  DEVICE(turned(N));
  DEVICE(turned(2));
  EMPTY(turned(1));
  DEVICE(changed(N, N - 2));
  DEVICE(changed(1, N));
  EMPTY(changed(N, 0));
  DEVICE(apart(N));
  DEVICE(apart(2));
  return 0;
}
