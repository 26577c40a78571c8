/* Inner loops that are parallel, bounded by outer ones that are not: they run outside, with bounds of their own. */
#include "../../middle/programs/middle.h"

#define N 70
static float A[N][N], B[N][N], C[N][N];
static int p[N][N], q[N][N];

static unsigned long symmetric(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += B[i][j] * A[i][k] / 5;
        sum += B[k][j] * A[i][k];
      }
      C[i][j] = C[i][j] / 2 + B[i][j] * A[i][i] + sum / 7;
    }
  return DIGEST(C);
}

/* what comes last to an element differs by where it lies */
static unsigned long below(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int k = 0; k < n; k++)
        p[j][k] = (p[j][k] * 3 + q[i][k] + i) & 65535;
  return DIGEST(p);
}

static unsigned long band(int m, int width, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int k = i; k < i + width; k++)
      for (int j = 0; j < n; j++)
        p[k][j] = (p[k][j] * 5 + q[i][j] * (k - i)) & 65535;
  return DIGEST(p);
}

/* counts down: stays as it is */
static unsigned long downwards(int n)
{
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < i; j++)
      for (int k = 0; k < n; k++)
        p[j][k] = (p[j][k] * 3 + q[i][k] + i) & 65535;
  return DIGEST(p);
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 7 + j * 3) % 11;
      B[i][j] = (i + j * 5) % 13;
      C[i][j] = (i * 3 + j) % 17;
      p[i][j] = i * N + j;
      q[i][j] = (i ^ j) % 29;
    }
  }
  DEVICE(symmetric(41, N));
  DEVICE(symmetric(1, 3));
  DEVICE(below(N));
  DEVICE(below(1));
  EMPTY(below(0));
  DEVICE(band(50, 20, N));
  DEVICE(band(1, 1, 33));
  EMPTY(band(3, 0, N));
  DEVICE(downwards(N));
  return 0;
}
