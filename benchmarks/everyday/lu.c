/* LU decomposition in place, without pivots as the matrix is dominated by its diagonal. */
#include "everyday.h"

static void decompose(int n, double a[n][n])
{
#pragma acc data copy(a[0 : n][0 : n])
  for (int k = 0; k < n; k++) {
#pragma acc parallel loop
#pragma omp parallel for
    for (int i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] * a[k][j];
    }
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1000), repeats = argument(argc, argv, 2, 3);
  double(*a)[n] = allocate(sizeof(double[n][n])), (*original)[n] = allocate(sizeof(double[n][n]));
  unsigned state = SEED;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      original[i][j] = uniform(&state) + (i == j ? n : 0);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    memcpy(a, original, sizeof(double[n][n]));
    start(&watch);
    decompose(n, a);
    stop(&watch);
  }
  for (int i = 0; i < n; i += 1 + n / 13)
    for (int j = 0; j < n; j += 1 + n / 17) {
      double product = 0;
      for (int k = 0; k <= (i < j ? i : j); k++)
        product += (k == i ? 1 : a[i][k]) * a[k][j];
      require(fabs(product - original[i][j]) < 1e-9 * n, "the factors' product is the matrix");
    }
  result("last", a[n - 1][n - 1]);
  print_time(&watch);
  return 0;
}
