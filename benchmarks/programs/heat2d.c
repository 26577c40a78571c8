/* Heat in two dimensions: seven values of five points, back and forth between two grids.
 *
 *   heat2d [rows [columns [steps [repeats]]]]
 */
#include "program.h"

static void conduct(int rows, int columns, int steps, real A[restrict rows][columns], real B[restrict rows][columns])
{
#pragma acc kernels copy(A[0:rows][0:columns], B[0:rows][0:columns])
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < rows - 1; i++)
      for (int j = 1; j < columns - 1; j++)
        B[i][j] = A[i][j] + (real)0.125 * (A[i - 1][j] - 2 * A[i][j] + A[i + 1][j]) +
                  (real)0.125 * (A[i][j - 1] - 2 * A[i][j] + A[i][j + 1]);
#pragma omp parallel for
    for (int i = 1; i < rows - 1; i++)
      for (int j = 1; j < columns - 1; j++)
        A[i][j] = B[i][j] + (real)0.125 * (B[i - 1][j] - 2 * B[i][j] + B[i + 1][j]) +
                  (real)0.125 * (B[i][j - 1] - 2 * B[i][j] + B[i][j + 1]);
  }
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 1024);
  int columns = argument(argc, argv, 2, 1024);
  int steps = argument(argc, argv, 3, 20);
  int repeats = argument(argc, argv, 4, 1);
  size_t size = (size_t)rows * columns;
  real *B = vector(size), *A = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, B, 0, 100, 1);
    fill(size, A, 0, 100, 2);
    start(&watch);
    conduct(rows, columns, steps, (real(*)[columns])A, (real(*)[columns])B);
    stop(&watch);
  }

  print_checksum(A, size * sizeof(real));
  print_time(&watch);
  return 0;
}
