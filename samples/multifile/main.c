/* A drum: ./wave [rows [columns [steps]]]
 *
 * The data directive here keeps both grids on the device; the loops that use them are in step.c and measure.c.
 */
#include "wave.h"

#include <stdio.h>
#include <stdlib.h>

void wave_init(int rows, int columns, float *before, float *now)
{
  for (int i = 0; i < rows + 2; i++)
    for (int j = 0; j < columns + 2; j++) {
      int rim = i == 0 || j == 0 || i > rows || j > columns;
      int distance = abs(i - rows / 3) + abs(j - columns / 2);
      before[i * (columns + 2) + j] = now[i * (columns + 2) + j] = rim || distance > 8 ? 0.0f : (float)(8 - distance);
    }
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : 256;
  int columns = argc > 2 ? atoi(argv[2]) : rows;
  int steps = argc > 3 ? atoi(argv[3]) : 50;
  if (rows < 1 || columns < 1) {
    fprintf(stderr, "usage: %s [rows [columns [steps]]]\n", argv[0]);
    return 2;
  }
  size_t cells = (size_t)(rows + 2) * (size_t)(columns + 2);
  float *before = malloc(cells * sizeof(float));
  float *now = malloc(cells * sizeof(float));
  if (before == NULL || now == NULL)
    return 1;
  wave_init(rows, columns, before, now);

  float peak;
#pragma acc data copy(before[0:cells], now[0:cells])
  {
    for (int t = 0; t < steps; t++) {
      wave_step(rows, columns, before, now);
      float *after = before;
      before = now;
      now = after;
    }
    peak = wave_peak(rows, columns, now);
  }

  printf("peak %.9g\n", peak);
  printf("checksum %016llx\n", wave_checksum(rows, columns, now));
  free(before);
  free(now);
  return 0;
}
