/* A picture filtered with 3x3 coefficients.
 *
 *   conv2d [height [width [repeats]]]
 */
#include "program.h"

static void filter(int height, int width, real in[height][width], real out[height][width])
{
#pragma acc kernels loop copyin(in[0:height][0:width]) copy(out[0:height][0:width])
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++)
      out[y][x] = 2 * in[y - 1][x - 1] - 3 * in[y - 1][x] + 5 * in[y - 1][x + 1] - 4 * in[y][x - 1] + 6 * in[y][x] -
                  7 * in[y][x + 1] + 8 * in[y + 1][x - 1] - 9 * in[y + 1][x] + 3 * in[y + 1][x + 1];
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
    filter(height, width, (real(*)[width])in, (real(*)[width])out);
    stop(&watch);
  }

  print_checksum(out, size * sizeof(real));
  print_time(&watch);
  return 0;
}
