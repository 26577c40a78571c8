/* Thermal simulation of a chip: how hot does each cell get under a given power map?
 *
 *   accshare-cc -O2 hotspot.c -o hotspot && ./hotspot [rows [columns [steps [repeats]]]]
 *
 * An explicit finite-difference scheme in two buffers: a step reads one and writes the other. The frame of cells
 * around the chip stays at room temperature. The data directive keeps all three grids on the device over the steps.
 */
#include "sample.h"

/* Per step: heat conducted to neighbours in a row and in a column, lost to the air, and taken up. They are powers of two, so a
 * device that fuses a multiplication with an addition rounds exactly as one that does not. */
#define ALONG_ROW 0.125f
#define ALONG_COLUMN 0.25f
#define TO_AIR 0.015625f
#define CAPACITY 0.5f
#define ROOM 80.0f

/* One time step on the inner cells; grids are (rows + 2) x (columns + 2). */
static void step(int rows, int columns, float power[rows + 2][columns + 2], float now[rows + 2][columns + 2],
                 float next[rows + 2][columns + 2])
{
#pragma acc kernels loop present(power[0:rows + 2][0:columns + 2], now[0:rows + 2][0:columns + 2],                     \
                                 next[0:rows + 2][0:columns + 2])
#pragma acc share(now[TB_Y + 2][TB_X + 2])
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j <= columns; j++) {
      float here = now[i][j];
      float row = now[i][j - 1] + now[i][j + 1] - 2.0f * here;
      float column = now[i - 1][j] + now[i + 1][j] - 2.0f * here;
      next[i][j] = here + CAPACITY * (power[i][j] + ALONG_ROW * row + ALONG_COLUMN * column + TO_AIR * (ROOM - here));
    }
}

/* `steps` time steps, rounded up to an even number; the result is in `heat`. */
static void simulate(int rows, int columns, int steps, float power[rows + 2][columns + 2],
                     float heat[rows + 2][columns + 2], float other[rows + 2][columns + 2])
{
#pragma acc data copyin(power[0:rows + 2][0:columns + 2]) copy(heat[0:rows + 2][0:columns + 2])                        \
    copyin(other[0:rows + 2][0:columns + 2])
  for (int t = 0; t < steps; t += 2) {
    step(rows, columns, power, heat, other);
    step(rows, columns, power, other, heat);
  }
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 512);
  int columns = argument(argc, argv, 2, rows);
  int steps = argument(argc, argv, 3, 60);
  int repeats = argument(argc, argv, 4, 1);
  float(*power)[columns + 2] = allocate(sizeof(float[rows + 2][columns + 2]));
  float(*heat)[columns + 2] = allocate(sizeof(float[rows + 2][columns + 2]));
  float(*other)[columns + 2] = allocate(sizeof(float[rows + 2][columns + 2]));

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    for (int i = 0; i < rows + 2; i++)
      for (int j = 0; j < columns + 2; j++) {
        power[i][j] = (float)((i / 8 + j / 8) % 5) * 0.25f;
        heat[i][j] = other[i][j] = ROOM;
      }
    start(&watch);
    simulate(rows, columns, steps, power, heat, other);
    stop(&watch);
  }

  print_checksum(heat, sizeof(float[rows + 2][columns + 2]));
  print_time(&watch);
  free(power);
  free(heat);
  free(other);
  return 0;
}
