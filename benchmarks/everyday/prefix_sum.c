/* Running sums in three steps: of blocks, of the blocks' sums, and of blocks again. */
#include "everyday.h"

#define BLOCK 4096

static void scan(int n, const int *restrict in, long *restrict out, long *restrict sums)
{
  int blocks = (n + BLOCK - 1) / BLOCK;
#pragma acc parallel loop
#pragma omp parallel for
  for (int b = 0; b < blocks; b++) {
    long sum = 0;
    int end = (b + 1) * BLOCK < n ? (b + 1) * BLOCK : n;
    for (int i = b * BLOCK; i < end; i++)
      sum += in[i];
    sums[b] = sum;
  }
  long before = 0;
  for (int b = 0; b < blocks; b++) {
    long own = sums[b];
    sums[b] = before;
    before += own;
  }
#pragma acc parallel loop
#pragma omp parallel for
  for (int b = 0; b < blocks; b++) {
    long sum = sums[b];
    int end = (b + 1) * BLOCK < n ? (b + 1) * BLOCK : n;
    for (int i = b * BLOCK; i < end; i++) {
      sum += in[i];
      out[i] = sum;
    }
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 10000000), repeats = argument(argc, argv, 2, 5);
  int *in = allocate(n * sizeof *in);
  long *out = allocate(n * sizeof *out), *sums = allocate((n / BLOCK + 1) * sizeof *sums), sum = 0;
  unsigned state = SEED;
  for (int i = 0; i < n; i++)
    in[i] = (int)(next_random(&state) % 1000) - 300;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    scan(n, in, out, sums);
    stop(&watch);
  }
  for (int i = 0; i < n; i++) {
    sum += in[i];
    require(out[i] == sum, "they are running sums");
  }
  result("last", (double)out[n - 1]);
  print_time(&watch);
  return 0;
}
