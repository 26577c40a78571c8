/* A picture of interleaved red, green and blue bytes, blurred by three by three weights. */
#include "everyday.h"

static const int weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

static void blur(int height, int width, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc parallel loop collapse(2)
#pragma omp parallel for collapse(2)
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++)
      for (int c = 0; c < 3; c++) {
        int sum = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++)
            sum += weights[dy + 1][dx + 1] * in[3 * ((y + dy) * width + x + dx) + c];
        out[3 * (y * width + x) + c] = (unsigned char)(sum / 16);
      }
}

int main(int argc, char **argv)
{
  int height = argument(argc, argv, 1, 2000), repeats = argument(argc, argv, 2, 3), width = height + 5;
  size_t bytes = (size_t)3 * height * width;
  unsigned char *in = allocate(bytes), *out = allocate(bytes);
  unsigned state = SEED;
  for (size_t i = 0; i < bytes; i++)
    in[i] = (unsigned char)(next_random(&state) >> 24);
  memcpy(out, in, bytes);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    blur(height, width, in, out);
    stop(&watch);
  }
  double before = 0, after = 0;
  for (size_t i = 0; i < bytes; i++) {
    before += in[i];
    after += out[i];
  }
  require(height < 100 || fabs(before - after) < 0.02 * before, "a blurred picture is as bright as before");
  result("bright", after);
  print_time(&watch);
  return 0;
}
