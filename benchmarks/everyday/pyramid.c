/* An image pyramid: every level has half the size of the one below. */
#include "everyday.h"

static void halve(int height, int width, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop collapse(2)
#pragma omp parallel for
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      out[y * width + x] = 0.25f * (in[2 * y * 2 * width + 2 * x] + in[2 * y * 2 * width + 2 * x + 1] +
                                    in[(2 * y + 1) * 2 * width + 2 * x] + in[(2 * y + 1) * 2 * width + 2 * x + 1]);
}

int main(int argc, char **argv)
{
  int levels = argument(argc, argv, 1, 11), repeats = argument(argc, argv, 2, 5), side = 1 << levels;
  float **level = allocate((levels + 1) * sizeof *level);
  for (int k = 0; k <= levels; k++)
    level[k] = allocate(((size_t)side >> k) * (side >> k) * sizeof(float));
  unsigned state = SEED;
  double mean = 0;
  for (int i = 0; i < side * side; i++)
    mean += level[0][i] = uniform(&state);
  mean /= (double)side * side;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    for (int k = 1; k <= levels; k++)
      halve(side >> k, side >> k, level[k - 1], level[k]);
    stop(&watch);
  }
  require(fabs(level[levels][0] - mean) < 1e-4, "the top is the mean");
  result("top", level[levels][0]);
  print_time(&watch);
  return 0;
}
