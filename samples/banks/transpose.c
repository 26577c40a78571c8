/* How far a point in m dimensions moves from one row to the next: D[i] = |P[i + 1] - P[i]|^2.
 *
 *   accshare-cc -O2 transpose.c -o transpose && ./transpose [rows [dimensions [repeats]]]
 *
 * Neighbouring threads read one column of a tile again and again, and all elements of a column would lie in one bank.
 * The tile has an odd number of rows, one more than there are threads; with rows and columns exchanged in local memory
 * neither the threads nor the copy that fills it meet in a bank.
 */
#include "../sample.h"

static void distances(int n, int m, float P[n + 1][m], float D[n])
{
#pragma acc kernels loop copyin(P[0:n + 1][0:m]) copyout(D[0:n])
#pragma acc share(P[TB_X + 1][*]:coalesce)
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int k = 0; k < m; k++)
      sum += (P[i + 1][k] - P[i][k]) * (P[i + 1][k] - P[i][k]);
    D[i] = sum;
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 4096);
  int m = argument(argc, argv, 2, 1024);
  int repeats = argument(argc, argv, 3, 1);
  float(*P)[m] = allocate(sizeof(float[n + 1][m]));
  float *D = allocate(sizeof(float[n]));

  for (int i = 0; i <= n; i++)
    for (int k = 0; k < m; k++)
      P[i][k] = (float)((i * 31 + k * 17) % 64);

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    distances(n, m, P, D);
    stop(&watch);
  }

  print_checksum(D, sizeof(float[n]));
  print_time(&watch);
  free(P);
  free(D);
  return 0;
}
