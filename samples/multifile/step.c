#include "wave.h"

/* (speed * dt / dx)^2; a power of two, so that fused and separate multiply-add round alike. */
#define COURANT 0.25f

void wave_step(int rows, int columns, float *restrict before, const float *restrict now)
{
  int width = columns + 2;
#pragma acc parallel loop collapse(2) copy(before[0:(rows + 2) * width]) copyin(now[0:(rows + 2) * width])
  for (int i = 1; i <= rows; i++)
    for (int j = 1; j <= columns; j++) {
      float here = now[i * width + j];
      float around =
          now[(i - 1) * width + j] + now[(i + 1) * width + j] + now[i * width + j - 1] + now[i * width + j + 1];
      before[i * width + j] = 2.0f * here - before[i * width + j] + COURANT * (around - 4.0f * here);
    }
}
