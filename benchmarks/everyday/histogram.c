/* How often each value of a picture's pixels occurs. */
#include "everyday.h"

static void count(int n, const unsigned char *pixel, int *bins)
{
#pragma acc parallel loop
#pragma omp parallel for reduction(+ : bins[:256])
  for (int i = 0; i < n; i++) {
#pragma acc atomic update
    bins[pixel[i]]++;
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 20000000), repeats = argument(argc, argv, 2, 5);
  unsigned char *pixel = allocate(n);
  int bins[256];
  unsigned state = SEED;
  for (int i = 0; i < n; i++)
    pixel[i] = (unsigned char)((next_random(&state) >> 24) & (next_random(&state) >> 24));
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    memset(bins, 0, sizeof bins);
    start(&watch);
    count(n, pixel, bins);
    stop(&watch);
  }
  long all = 0, weighted = 0;
  for (int k = 0; k < 256; k++) {
    all += bins[k];
    weighted += (long)k * bins[k];
  }
  require(all == n, "every pixel is counted once");
  result("weighted", (double)weighted);
  print_time(&watch);
  return 0;
}
