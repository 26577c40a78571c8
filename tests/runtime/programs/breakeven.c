/* breakeven N HOLD OPERATIONS LONGEST LAUNCHES ATOMICS ...: for each four numbers, whether the runtime takes a region of that work
 * on N floats for worth a device (1) or not (0), before anything ran and after. HOLD is what is on the device meanwhile:
 * nothing, x, or memory (of acc_malloc, which the region then uses). */
#include "openacc.h"
#include "support.h"

int main(int argc, char **argv) {
  if (argc < 3 || argc % 4 != 3) return 2;
  int n = atoi(argv[1]);
  const char *hold = argv[2];
  float *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  fill(x, n, 1, 1);
  fill(y, n, 1, 1);
  float *used = x;
  if (!strcmp(hold, "x")) acc_copyin(x, (size_t)n * sizeof *x);
  if (!strcmp(hold, "memory")) used = acc_malloc((size_t)n * sizeof *x);
  const accshare_datum data[] = {DATUM(ACCSHARE_COPYIN, used, 0, (unsigned long)n),
                                 DATUM(ACCSHARE_COPY, y, 0, (unsigned long)n)};
  for (int round = 0; round < 2; round++) {
    for (int i = 3; i < argc; i += 4) {
      const accshare_work work = {atof(argv[i]), atof(argv[i + 1]), atof(argv[i + 2]), atof(argv[i + 3]), 1};
      int small = work.operations < *api()->small;
      int pays = !api()->pays || (!small && api()->pays(&axpy_region, &work, data, 2));
      printf("%d", pays);
    }
    printf("\n");
    if (round || used != x) break;
    for (int t = 0; t < 50; t++) axpy(1, x, y, 0, n);
  }
  return 0;
}
