/* Jacobi iterations with three points in one dimension, back and forth between two rows.
 *
 *   jacobi1d [n [steps [repeats]]]
 */
#include "program.h"

static void iterate(int n, int steps, real A[restrict n], real B[restrict n])
{
#pragma acc kernels copy(A[0:n], B[0:n])
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      B[i] = (real)0.25 * A[i - 1] + (real)0.5 * A[i] + (real)0.25 * A[i + 1];
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      A[i] = (real)0.25 * B[i - 1] + (real)0.5 * B[i] + (real)0.25 * B[i + 1];
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 65536);
  int steps = argument(argc, argv, 2, 200);
  int repeats = argument(argc, argv, 3, 1);
  size_t size = (size_t)n;
  real *B = vector(size), *A = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, B, 0, 100, 1);
    fill(size, A, 0, 100, 2);
    start(&watch);
    iterate(n, steps, A, B);
    stop(&watch);
  }

  print_checksum(A, size * sizeof(real));
  print_time(&watch);
  return 0;
}
