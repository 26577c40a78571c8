/* Heat in a chip with sources, as in samples/hotspot.c, for both element types: explicit steps between two grids.
 *
 *   hotspot [rows [columns [steps [repeats]]]]      (steps are rounded up to an even number)
 */
#include "program.h"

/* Powers of two, so that fused and separate multiplications round alike. */
#define ALONG_ROW (real)0.125
#define ALONG_COLUMN (real)0.25
#define TO_AIR (real)0.015625
#define CAPACITY (real)0.5
#define ROOM (real)80

static void step(int rows, int columns, real power[rows][columns], real now[rows][columns], real next[rows][columns])
{
#pragma acc kernels loop present(power[0:rows][0:columns], now[0:rows][0:columns], next[0:rows][0:columns])
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++) {
      real here = now[i][j];
      real row = now[i][j - 1] + now[i][j + 1] - 2 * here;
      real column = now[i - 1][j] + now[i + 1][j] - 2 * here;
      next[i][j] = here + CAPACITY * (power[i][j] + ALONG_ROW * row + ALONG_COLUMN * column + TO_AIR * (ROOM - here));
    }
}

static void simulate(int rows, int columns, int steps, real power[rows][columns], real heat[rows][columns],
                     real other[rows][columns])
{
#pragma acc data copyin(power[0:rows][0:columns], other[0:rows][0:columns]) copy(heat[0:rows][0:columns])
  for (int t = 0; t < steps; t += 2) {
    step(rows, columns, power, heat, other);
    step(rows, columns, power, other, heat);
  }
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 1024), columns = argument(argc, argv, 2, rows);
  int steps = argument(argc, argv, 3, 20), repeats = argument(argc, argv, 4, 1);
  size_t size = (size_t)rows * columns;
  real *power = vector(size), *heat = vector(size), *other = vector(size);
  fill(size, power, 0, 4, 1);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, heat, 80, 80, 2);
    fill(size, other, 80, 80, 2);
    start(&watch);
    simulate(rows, columns, steps, (real(*)[columns])power, (real(*)[columns])heat, (real(*)[columns])other);
    stop(&watch);
  }

  print_checksum(heat, size * sizeof(real));
  print_time(&watch);
  return 0;
}
