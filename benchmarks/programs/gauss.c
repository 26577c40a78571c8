/* Gaussian blur with a 5x5 filter; samples/gauss.c does the same to bytes.
 *
 *   gauss [height [width [repeats]]]
 */
#include "program.h"

/* Binomial coefficients; they add up to 256. */
static const real weight[5][5] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1},
};

static void blur(int height, int width, real in[height][width], real out[height][width])
{
#pragma acc kernels loop copyin(in[0:height][0:width], weight) copy(out[0:height][0:width])
  for (int y = 2; y < height - 2; y++)
    for (int x = 2; x < width - 2; x++) {
      real sum = 0;
      for (int v = 0; v < 5; v++)
        for (int u = 0; u < 5; u++)
          sum += weight[v][u] * in[y + v - 2][x + u - 2];
      out[y][x] = sum / 256;
    }
}

int main(int argc, char **argv)
{
  int height = argument(argc, argv, 1, 1024), width = argument(argc, argv, 2, height);
  int repeats = argument(argc, argv, 3, 1);
  size_t size = (size_t)height * width;
  real *in = vector(size), *out = vector(size);
  fill(size, in, 0, 255, 1);
  fill(size, out, 0, 255, 1);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    start(&watch);
    blur(height, width, (real(*)[width])in, (real(*)[width])out);
    stop(&watch);
  }

  print_checksum(out, size * sizeof(real));
  print_time(&watch);
  return 0;
}
