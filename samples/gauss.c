/* Gaussian blur of a grey-scale image with a 5x5 filter.
 *
 *   accshare-cc -O2 gauss.c -o gauss && ./gauss [height [width [repeats]]]
 *
 * A block of TB_Y x TB_X pixels needs a frame of two more pixels on each side. Pixels within two of the image's edge
 * stay as they are.
 */
#include "sample.h"

#include <string.h>

typedef unsigned char pixel;

/* Binomial coefficients; they add up to 256. */
static const int weight[5][5] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1},
};

static void blur(int height, int width, pixel in[height][width], pixel out[height][width])
{
#pragma acc kernels loop copyin(in[0:height][0:width], weight) copy(out[0:height][0:width])
#pragma acc share(in[TB_Y + 4][TB_X + 4])
  for (int y = 2; y < height - 2; y++)
    for (int x = 2; x < width - 2; x++) {
      int sum = 0;
      for (int v = 0; v < 5; v++)
        for (int u = 0; u < 5; u++)
          sum += weight[v][u] * in[y + v - 2][x + u - 2];
      out[y][x] = (pixel)(sum / 256);
    }
}

int main(int argc, char **argv)
{
  int height = argument(argc, argv, 1, 1024);
  int width = argument(argc, argv, 2, height);
  int repeats = argument(argc, argv, 3, 1);
  pixel(*in)[width] = allocate(sizeof(pixel[height][width]));
  pixel(*out)[width] = allocate(sizeof(pixel[height][width]));

  /* Bright rings on a dark ground. */
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      unsigned dy = (unsigned)(y - height / 2), dx = (unsigned)(x - width / 2);
      in[y][x] = (pixel)((dy * dy + dx * dx) / 16 % 256);
    }
  memcpy(out, in, sizeof(pixel[height][width]));

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    blur(height, width, in, out);
    stop(&watch);
  }

  print_checksum(out, sizeof(pixel[height][width]));
  print_time(&watch);
  free(in);
  free(out);
  return 0;
}
