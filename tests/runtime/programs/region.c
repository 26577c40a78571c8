/* region N FIRST TIMES LAUNCHES: runs the region TIMES times on [FIRST, FIRST + N) of two arrays, prints where it ran and the results. */
#include "support.h"

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  int n = atoi(argv[1]), first = atoi(argv[2]), times = atoi(argv[3]), launches = atoi(argv[4]);
  int total = first + n + 3, on_device = 0, wrong = 0;
  float *x = malloc((size_t)total * sizeof *x), *y = malloc((size_t)total * sizeof *y);
  fill(x, total, 1, 1);
  fill(y, total, 100, 2);
  for (int t = 0; t < times; t++) {
    on_device += axpy_with(2, x, ACCSHARE_COPYIN, y, ACCSHARE_COPY, first, n, launches);
  }
  for (int i = 0; i < total; i++) {
    int inside = first <= i && i < first + n;
    wrong += y[i] != 100 + 2 * (float)i + (inside ? 2 * (float)(times * launches) * (1 + (float)i) : 0);
  }
  printf("device=%d host=%d wrong=%d\n", on_device, times - on_device, wrong);
  free(x);
  free(y);
  return 0;
}
