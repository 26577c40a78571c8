/* Electric and magnetic fields in two dimensions, by finite differences in space and time.
 *
 *   fdtd2d [rows [columns [steps [repeats]]]]
 */
#include "program.h"

static void propagate(int rows, int columns, int steps, real ex[restrict rows][columns],
                      real ey[restrict rows][columns], real hz[restrict rows][columns])
{
#pragma acc kernels copy(ex[0:rows][0:columns], ey[0:rows][0:columns], hz[0:rows][0:columns])
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i < rows; i++)
      for (int j = 0; j < columns; j++)
        ey[i][j] -= (real)0.5 * (hz[i][j] - hz[i - 1][j]);
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 1; j < columns; j++)
        ex[i][j] -= (real)0.5 * (hz[i][j] - hz[i][j - 1]);
#pragma omp parallel for
    for (int i = 0; i < rows - 1; i++)
      for (int j = 0; j < columns - 1; j++)
        hz[i][j] -= (real)0.5 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 1024);
  int columns = argument(argc, argv, 2, 1024);
  int steps = argument(argc, argv, 3, 20);
  int repeats = argument(argc, argv, 4, 1);
  size_t size = (size_t)rows * columns;
  real *ex = vector(size), *ey = vector(size), *hz = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, ex, 0, 100, 1);
    fill(size, ey, 0, 100, 2);
    fill(size, hz, 0, 100, 3);
    start(&watch);
    propagate(rows, columns, steps, (real(*)[columns])ex, (real(*)[columns])ey, (real(*)[columns])hz);
    stop(&watch);
  }

  print_checksum(hz, size * sizeof(real));
  print_time(&watch);
  return 0;
}
