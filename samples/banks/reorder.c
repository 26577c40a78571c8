/* A filter that keeps every eighth value: out[i] = sum over k of weight[k] * in[8 i + k].
 *
 *   accshare-cc -O2 reorder.c -o reorder && ./reorder [values [taps [repeats]]]
 *
 * Neighbouring threads read elements that are eight apart, so that eight of them meet in a bank, and there are no rows to
 * pad. Whole numbers add up in any order: each thread begins one tap further than the one before, and goes round.
 */
#include "../sample.h"

#define STEP 8

static void filter(int n, int taps, int in[STEP * n + taps], int weight[taps], int out[n])
{
#pragma acc kernels loop copyin(in[0:STEP * n + taps], weight[0:taps]) copyout(out[0:n])
#pragma acc share(in[*], weight[*])
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = 0; k < taps; k++)
      sum += weight[k] * in[STEP * i + k];
    out[i] = sum;
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1 << 18);
  int taps = argument(argc, argv, 2, 256);
  int repeats = argument(argc, argv, 3, 1);
  int *in = allocate(sizeof(int) * (STEP * (size_t)n + taps));
  int *weight = allocate(sizeof(int[taps]));
  int *out = allocate(sizeof(int[n]));

  for (int i = 0; i < STEP * n + taps; i++)
    in[i] = (i * 31 + i / 7) % 4096 - 2048;
  for (int k = 0; k < taps; k++)
    weight[k] = k * 17 % 64 - 32;

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    filter(n, taps, in, weight, out);
    stop(&watch);
  }

  print_checksum(out, sizeof(int[n]));
  print_time(&watch);
  free(in);
  free(weight);
  free(out);
  return 0;
}
