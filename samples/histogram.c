/* How often does each grey value of a picture occur?
 *
 *   accshare-cc -O2 histogram.c -o histogram && ./histogram [pixels [repeats]]
 *
 * Threads meet in the counters, so each step is atomic. Nothing else uses these: work-groups count for themselves first.
 */
#include "sample.h"

#define GREYS 256

static void count(int pixels, const unsigned char *restrict picture, int *restrict counts)
{
#pragma acc parallel loop copyin(picture[0:pixels]) copy(counts[0:GREYS])
  for (int i = 0; i < pixels; i++) {
#pragma acc atomic
    counts[picture[i]]++;
  }
}

int main(int argc, char **argv)
{
  int pixels = argument(argc, argv, 1, 1 << 22);
  int repeats = argument(argc, argv, 2, 1);
  unsigned char *picture = allocate((size_t)pixels);
  int counts[GREYS] = {0};

  unsigned noise = 1;
  for (int i = 0; i < pixels; i++) {
    noise = noise * 1664525u + 1013904223u;
    picture[i] = (unsigned char)((noise >> 24) * (noise >> 16 & 255) / 255);
  }

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < GREYS; k++)
      counts[k] = 0;
    start(&watch);
    count(pixels, picture, counts);
    stop(&watch);
  }

  print_checksum(counts, sizeof counts);
  print_time(&watch);
  free(picture);
  return 0;
}
