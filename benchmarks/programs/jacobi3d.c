/* Jacobi iterations with seven points in three dimensions, back and forth between two boxes.
 *
 *   jacobi3d [depth [rows [columns [steps [repeats]]]]]
 */
#include "program.h"

static void iterate(int depth, int rows, int columns, int steps, real A[restrict depth][rows][columns],
                    real B[restrict depth][rows][columns])
{
#pragma acc kernels copy(A[0:depth][0:rows][0:columns], B[0:depth][0:rows][0:columns])
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int k = 1; k < depth - 1; k++)
      for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
          B[k][i][j] = (real)0.25 * A[k][i][j] + (real)0.125 * (A[k - 1][i][j] + A[k + 1][i][j] + A[k][i - 1][j] +
                                                                A[k][i + 1][j] + A[k][i][j - 1] + A[k][i][j + 1]);
#pragma omp parallel for
    for (int k = 1; k < depth - 1; k++)
      for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
          A[k][i][j] = (real)0.25 * B[k][i][j] + (real)0.125 * (B[k - 1][i][j] + B[k + 1][i][j] + B[k][i - 1][j] +
                                                                B[k][i + 1][j] + B[k][i][j - 1] + B[k][i][j + 1]);
  }
}

int main(int argc, char **argv)
{
  int depth = argument(argc, argv, 1, 128);
  int rows = argument(argc, argv, 2, 128);
  int columns = argument(argc, argv, 3, 128);
  int steps = argument(argc, argv, 4, 10);
  int repeats = argument(argc, argv, 5, 1);
  size_t size = (size_t)depth * rows * columns;
  real *B = vector(size), *A = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, B, 0, 100, 1);
    fill(size, A, 0, 100, 2);
    start(&watch);
    iterate(depth, rows, columns, steps, (real(*)[rows][columns])A, (real(*)[rows][columns])B);
    stop(&watch);
  }

  print_checksum(A, size * sizeof(real));
  print_time(&watch);
  return 0;
}
