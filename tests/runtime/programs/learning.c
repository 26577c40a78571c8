/* learning TIMES OPERATIONS KERNEL_MS HOST_MS [REGIONS [FIRST_MS]]: a region of so many operations runs so often, by a native kernel
 * or its host loops, which keep a processor for so long, the kernel for another time at first; prints the way each time, K or H. */
#include <time.h>

#include "support.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work_for(double milliseconds) {
  for (double until = now() + 1e-3 * milliseconds; now() < until;) continue;
}

static void kernel(const void *milliseconds, long first, long last) {
  for (long group = first; group < last; group++) work_for(*(const double *)milliseconds);
}

static char run(accshare_region *region, double operations, double kernel_ms, double host_ms) {
  const accshare_work work = {operations, 0, 1, 0};
  const accshare_launch launch = {0, 8, {1, 1, 1}, {1, 1, 1}, NULL, 0};
  accshare_native native;
  int pays = api()->pays ? api()->pays(region, &work, NULL, 0) : 1;
  if (pays > 0 && api()->native(region, NULL, 0, &native)) {
    api()->native_launch(&native, &launch, kernel, &kernel_ms);
    api()->native_end(&native);
    return 'K';
  }
  work_for(host_ms);
  if (pays < 0) api()->ended(region);
  return 'H';
}

int main(int argc, char **argv) {
  static const char *const kernels[] = {"kernel"};
  static const accshare_variant variants[] = {{"native", "cpu", "", "", kernels, 1, 1, 0, ACCSHARE_NATIVE}};
  if (argc < 5) return 2;
  int regions = argc > 5 ? atoi(argv[5]) : 1;
  accshare_region *all = calloc((size_t)regions, sizeof *all);
  for (int r = 0; r < regions; r++) {
    all[r] = (accshare_region){"learning.c", r + 1, "main", "region", variants, 1, NULL};
    for (int t = 0; t < atoi(argv[1]); t++) {
      putchar(run(&all[r], atof(argv[2]), atof(t || argc < 7 ? argv[3] : argv[6]), atof(argv[4])));
    }
  }
  putchar('\n');
  return 0;
}
