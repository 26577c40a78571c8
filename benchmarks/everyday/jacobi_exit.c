/* Laplace's equation by Jacobi's iteration until nothing changes any more. */
#include "everyday.h"

static double relax(int n, double a[n][n], double b[n][n])
{
  double change = 0;
#pragma acc parallel loop collapse(2) reduction(max : change) copyin(a[0 : n][0 : n]) copy(b[0 : n][0 : n])
#pragma omp parallel for reduction(max : change)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      b[i][j] = 0.25 * (a[i][j + 1] + a[i][j - 1] + a[i - 1][j] + a[i + 1][j]);
      change = fmax(change, fabs(b[i][j] - a[i][j]));
    }
  return change;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 500), repeats = argument(argc, argv, 2, 2), steps = 0;
  double(*a)[n] = allocate(sizeof(double[n][n])), (*b)[n] = allocate(sizeof(double[n][n]));
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    memset(a, 0, sizeof(double[n][n]));
    for (int i = 0; i < n; i++)
      a[i][0] = 1;
    memcpy(b, a, sizeof(double[n][n]));
    start(&watch);
    double change = 1;
    for (steps = 0; change > 1e-3 && steps < 2000; steps += 2) {
      relax(n, a, b);
      change = relax(n, b, a);
    }
    stop(&watch);
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      require(a[i][j] >= 0 && a[i][j] <= 1, "values are between the edges'");
      sum += a[i][j];
    }
  result("steps", steps);
  result("sum", sum);
  print_time(&watch);
  return 0;
}
