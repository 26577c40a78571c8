/* Many products of small matrices, as finite elements have them. */
#include "everyday.h"

#define N 8

static void products(int count, const float (*a)[N][N], const float (*b)[N][N], float (*c)[N][N])
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int e = 0; e < count; e++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        float sum = 0;
        for (int k = 0; k < N; k++)
          sum += a[e][i][k] * b[e][k][j];
        c[e][i][j] = sum;
      }
}

int main(int argc, char **argv)
{
  int count = argument(argc, argv, 1, 50000), repeats = argument(argc, argv, 2, 5);
  float(*a)[N][N] = allocate(count * sizeof *a), (*b)[N][N] = allocate(count * sizeof *b), (*c)[N][N] = allocate(count * sizeof *c);
  unsigned state = SEED;
  for (int e = 0; e < count; e++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        a[e][i][j] = (float)(next_random(&state) % 8);
        b[e][i][j] = (float)(i == (j + e) % N);
      }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    products(count, (const float(*)[N][N])a, (const float(*)[N][N])b, c);
    stop(&watch);
  }
  double sum = 0;
  for (int e = 0; e < count; e++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        require(c[e][i][j] == a[e][i][(j + e) % N], "a permutation permutes columns");
        sum += c[e][i][j] * (i + 1) * (j + 1);
      }
  result("sum", sum);
  print_time(&watch);
  return 0;
}
