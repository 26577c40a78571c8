// A table of pointers to rows whose columns are looked up: no subscript says how long the rows are, a clause does.
// prints: by a clause 1815.0
// prints: without one 1815.0
// launches: 1
#include <stdio.h>
#include <stdlib.h>

static double by_a_clause(int n, int m, double **rows, const int *restrict column, double *restrict sums)
{
#pragma acc kernels copyin(rows[0:n][0:m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sums[i] += rows[i][column[j]] * j;
  return sums[0] + sums[n - 1];
}

static double without_one(int n, int m, double **rows, const int *restrict column, double *restrict sums)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      sums[i] += rows[i][column[j]] * j;
  return sums[0] + sums[n - 1];
}

int main(void)
{
  enum { N = 20, M = 10 };
  double *rows[N], first[N] = {0}, second[N] = {0};
  int column[M];
  for (int j = 0; j < M; j++)
    column[j] = (j * 7 + 3) % M;
  for (int i = 0; i < N; i++) {
    rows[i] = malloc(M * sizeof *rows[i]);
    for (int j = 0; j < M; j++)
      rows[i][j] = i + j * 2;
  }
  printf("by a clause %.1f\n", by_a_clause(N, M, rows, column, first));
  printf("without one %.1f\n", without_one(N, M, rows, column, second));
  for (int i = 0; i < N; i++)
    free(rows[i]);
  return 0;
}
