/* How well a recording fits curves: the sum over channels c and times t of in[16 t + c] times the bend of curve c at t.
 *
 *   accshare-cc -O2 remap.c -o remap && ./remap [samples [repeats]]
 *
 * The recording has sixteen channels, stored sample by sample; neighbouring threads, which follow the curves, read every
 * sixteenth of its elements and meet in two banks. There are no rows to pad. Both arrays are in local memory, so any
 * thread may do any element of the block's: along diagonals, neighbours read different channels.
 */
#include "../sample.h"

#define CHANNELS 16

static int fit(int n, int in[CHANNELS * n], int curve[CHANNELS][n + 2])
{
  int sum = 0;
#pragma acc kernels loop copyin(in[0:CHANNELS * n], curve[0:CHANNELS][0:n + 2])
#pragma acc share(in[*]:coalesce, curve[8][34])
  for (int c = 0; c < CHANNELS; c++)
    for (int t = 0; t < n; t++)
      sum += in[CHANNELS * t + c] * (curve[c][t] - 2 * curve[c][t + 1] + curve[c][t + 2]);
  return sum;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1 << 18);
  int repeats = argument(argc, argv, 2, 1);
  int *in = allocate(sizeof(int) * CHANNELS * (size_t)n);
  int(*curve)[n + 2] = allocate(sizeof(int[CHANNELS][n + 2]));
  int sum = 0;

  for (int c = 0; c < CHANNELS; c++)
    for (int t = 0; t < n + 2; t++)
      curve[c][t] = (t * t + c * 7) % 61;
  for (int i = 0; i < CHANNELS * n; i++)
    in[i] = (i * 31 + i / 16) % 17 - 8;

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    sum = fit(n, in, curve);
    stop(&watch);
  }

  print_checksum(&sum, sizeof sum);
  print_time(&watch);
  free(in);
  free(curve);
  return 0;
}
