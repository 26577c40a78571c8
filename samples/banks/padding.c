/* Energy of 16-bit signals with three components each: E[i] = sum over k of x^2 + y^2 + z^2.
 *
 *   accshare-cc -O2 padding.c -o padding && ./padding [signals [samples [repeats]]]
 *
 * A thread runs along the three rows of its own signal. Rows of a power of two in local memory would put the elements that
 * neighbouring threads read into one bank; a little padding at their ends spreads them.
 */
#include "../sample.h"

static void energy(int n, int m, short signal[n][3][m], int E[n])
{
#pragma acc kernels loop copyin(signal[0:n][0:3][0:m]) copyout(E[0:n])
#pragma acc share(signal[TB_X][3][*]:coalesce)
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = 0; k < m; k++)
      sum += signal[i][0][k] * signal[i][0][k] + signal[i][1][k] * signal[i][1][k] + signal[i][2][k] * signal[i][2][k];
    E[i] = sum;
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 4096);
  int m = argument(argc, argv, 2, 512);
  int repeats = argument(argc, argv, 3, 1);
  short(*signal)[3][m] = allocate(sizeof(short[n][3][m]));
  int *E = allocate(sizeof(int[n]));

  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < m; k++)
        signal[i][c][k] = (short)((i * 7 + c * 5 + k) % 199 - 99);

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    energy(n, m, signal, E);
    stop(&watch);
  }

  print_checksum(E, sizeof(int[n]));
  print_time(&watch);
  free(signal);
  free(E);
  return 0;
}
