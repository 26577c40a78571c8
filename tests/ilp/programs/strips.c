/* Strips through local memory, some of which can be fetched while another one runs. */
#include <stdio.h>

#define N 67
#define M 131
static float a[N][M], x[M], y[N], c[N][N];

static void product(int n, int m, float A[restrict n][m], float X[restrict m], float Y[restrict n])
{
#pragma acc kernels loop
#pragma acc share(A[TB_X][*]:coalesce, X[*])
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < m; k++)
      sum += A[i][k] * X[k];
    Y[i] = sum;
  }
}

/* from the last strip to the first, which begins anywhere */
static void backwards(int n, int m, int from, float A[restrict n][m], float X[restrict m], float Y[restrict n])
{
#pragma acc kernels loop
#pragma acc share(A[TB_X][*]:coalesce, X[*])
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = m - 1; k >= from; k--)
      sum = sum / 2 + A[i][k] * X[k];
    Y[i] = sum;
  }
}

/* the kernel changes what it has in tiles: nothing of A may be fetched early */
static void changing(int n, int m, float A[restrict n][m], float X[restrict m])
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 1; k < m; k++)
      sum += A[i][k] * X[k];
    A[i][0] = sum;
  }
}

/* both halves of a symmetric matrix */
static void symmetric(int n, int m, float A[restrict n][m], float C[restrict n][n])
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      C[i][j] = 0;
      for (int k = 0; k < m; k++)
        C[i][j] += A[i][k] * A[j][k];
      C[j][i] = C[i][j];
    }
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      a[i][k] = i % 5 - k % 3, x[k] = k % 7 - 3;
  product(N, M, a, x, y);
  backwards(N, M, 3, a, x, y);
  changing(N, M, a, x);
  symmetric(N, M, a, c);
  printf("%g %g %g\n", y[0], a[3][0], c[1][5]);
  return 0;
}
