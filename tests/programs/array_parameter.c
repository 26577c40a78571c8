// An array parameter's declaration tells its extent, so a data clause may name it without a section.
// prints: 14590 1024
// launches: 2
#include <stdio.h>

enum { N = 20, M = 30 };
static double a[N][M], b[M];

static void scale(int n, int m, double A[n + 0][m], double B[restrict static m])
{
#pragma acc data copy(A) copyin(B)
  {
#pragma acc parallel loop present(A, B)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        A[i][j] += B[j];
#pragma acc parallel loop present(A)
    for (int i = 0; i < n; i++)
      A[i][0] += i;
  }
}

int main(void)
{
  double sum = 0, first = 0;
  for (int j = 0; j < M; j++)
    b[j] = j;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      a[i][j] = i;
  scale(N, M, a, b);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      sum += a[i][j];
  for (int j = 0; j < M; j++)
    first += a[N - 1][j];
  printf("%g %g\n", sum, first);
  return 0;
}
