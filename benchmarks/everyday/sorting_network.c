/* Sorting by Batcher's bitonic network. */
#include "everyday.h"

static void sort(int n, float *a)
{
  for (int size = 2; size <= n; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
#pragma acc parallel loop independent
#pragma omp parallel for
      for (int i = 0; i < n; i++) {
        int other = i ^ apart;
        if (other > i) {
          float x = a[i], y = a[other];
          if ((x > y) == ((i & size) == 0)) {
            a[i] = y;
            a[other] = x;
          }
        }
      }
    }
}

int main(int argc, char **argv)
{
  int bits = argument(argc, argv, 1, 18), repeats = argument(argc, argv, 2, 3), n = 1 << bits;
  float *a = allocate(n * sizeof *a);
  struct stopwatch watch = {0};
  double before = 0, after = 0;
  for (int r = 0; r < repeats; r++) {
    unsigned state = SEED;
    before = 0;
    for (int i = 0; i < n; i++)
      before += a[i] = uniform(&state);
    start(&watch);
    sort(n, a);
    stop(&watch);
  }
  for (int i = 0; i < n; i++) {
    require(i == 0 || a[i - 1] <= a[i], "it is sorted");
    after += a[i];
  }
  require(fabs(before - after) < 1e-9 * n, "nothing is lost");
  result("median", a[n / 2]);
  print_time(&watch);
  return 0;
}
