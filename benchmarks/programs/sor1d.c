/* Successive over-relaxation with three points in one dimension: every point sees the one before it as it is already.
 *
 *   sor1d [n [steps [repeats]]]
 */
#include "program.h"

static void relax(int n, int steps, real A[n])
{
#pragma acc kernels copy(A[0:n])
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      A[i] = (real)0.25 * A[i - 1] + (real)0.5 * A[i] + (real)0.25 * A[i + 1];
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 65536);
  int steps = argument(argc, argv, 2, 200);
  int repeats = argument(argc, argv, 3, 1);
  size_t size = (size_t)n;
  real *A = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, A, 0, 100, 1);
    start(&watch);
    relax(n, steps, A);
    stop(&watch);
  }

  print_checksum(A, size * sizeof(real));
  print_time(&watch);
  return 0;
}
