// Rows of a linearised matrix chosen by a loop of the region, and by one that stays on the host.
// prints: 691.5131
// launches: 39
#include <stdio.h>

enum { N = 20 };
static double cells[N * N];

static void eliminate(int n, double *a)
{
#pragma acc data copy(a[0 : n * n])
  for (int k = 0; k + 1 < n; k++) {
#pragma acc kernels loop
    for (int i = k + 1; i < n; i++)
      a[i * n + k] /= a[k * n + k];
#pragma acc kernels loop
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
  }
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    a[(n - 1) * n + i] += a[i];
}

int main(void)
{
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    cells[i] = (i * 7 % 13) + (i % (N + 1) == 0) * 20;
  eliminate(N, cells);
  for (int i = 0; i < N * N; i++)
    sum += cells[i] * (i % 3);
  printf("%.4f\n", sum);
  return 0;
}
