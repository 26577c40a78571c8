/* Jacobi iterations with five points in two dimensions, back and forth between two grids.
 *
 *   jacobi2d [rows [columns [steps [repeats]]]]      (steps are rounded up to an even number)
 */
#include "program.h"

static void step(int rows, int columns, real now[rows][columns], real next[rows][columns])
{
#pragma acc kernels loop present(now[0:rows][0:columns], next[0:rows][0:columns])
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++)
      next[i][j] = (real)0.2 * (now[i][j] + now[i][j - 1] + now[i][j + 1] + now[i - 1][j] + now[i + 1][j]);
}

static void iterate(int rows, int columns, int steps, real A[rows][columns], real B[rows][columns])
{
#pragma acc data copy(A[0:rows][0:columns], B[0:rows][0:columns])
  for (int t = 0; t < steps; t += 2) {
    step(rows, columns, A, B);
    step(rows, columns, B, A);
  }
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 1024), columns = argument(argc, argv, 2, rows);
  int steps = argument(argc, argv, 3, 20), repeats = argument(argc, argv, 4, 1);
  size_t size = (size_t)rows * columns;
  real *A = vector(size), *B = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, A, 0, 100, 1);
    fill(size, B, 0, 100, 1);
    start(&watch);
    iterate(rows, columns, steps, (real(*)[columns])A, (real(*)[columns])B);
    stop(&watch);
  }

  print_checksum(A, size * sizeof(real));
  print_time(&watch);
  return 0;
}
