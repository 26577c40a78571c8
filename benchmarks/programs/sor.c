/* Successive over-relaxation with five points in two dimensions: every point sees those before it as they are already.
 *
 *   sor [rows [columns [steps [repeats]]]]
 */
#include "program.h"

static void relax(int rows, int columns, int steps, real A[rows][columns])
{
#pragma acc kernels copy(A[0:rows][0:columns])
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < rows - 1; i++)
      for (int j = 1; j < columns - 1; j++)
        A[i][j] = (real)0.25 * (A[i - 1][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j]) * (real)1.5 - (real)0.5 * A[i][j];
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 1024), columns = argument(argc, argv, 2, rows);
  int steps = argument(argc, argv, 3, 20), repeats = argument(argc, argv, 4, 1);
  size_t size = (size_t)rows * columns;
  real *A = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, A, 0, 100, 1);
    start(&watch);
    relax(rows, columns, steps, (real(*)[columns])A);
    stop(&watch);
  }

  print_checksum(A, size * sizeof(real));
  print_time(&watch);
  return 0;
}
