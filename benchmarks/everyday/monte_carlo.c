/* Pi by random points whose coordinates are hashes of their numbers. */
#include "everyday.h"

static unsigned hash(unsigned x)
{
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

static long inside(int n)
{
  long count = 0;
#pragma acc parallel loop reduction(+ : count)
#pragma omp parallel for reduction(+ : count)
  for (int i = 0; i < n; i++) {
    float x = (float)(hash(2u * i) >> 8) * 0x1p-24f, y = (float)(hash(2u * i + 1) >> 8) * 0x1p-24f;
    if (x * x + y * y < 1)
      count++;
  }
  return count;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 20000000), repeats = argument(argc, argv, 2, 3);
  long count = 0;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    count = inside(n);
    stop(&watch);
  }
  double pi = 4.0 * count / n;
  require(fabs(pi - 3.14159265) < 4 / sqrt(n) + 1e-9, "it is about pi");
  result("pi", pi);
  print_time(&watch);
  return 0;
}
