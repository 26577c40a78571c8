/* learning TIMES OPERATIONS KERNEL_MS HOST_MS [REGIONS [COLD_MS [COLD_WAY_MS [COLD_TIMES [CHANGE HOST_MS [EVERY STOPPED_MS [PAGES [ITERATIONS]]]]]]]]: a region of so many operations runs so often, by a
 * native kernel or its host loops, which take so long, the first execution and the first one by each way so much longer, or the first
 * COLD_TIMES, which touch new pages, and its host loops another time from execution CHANGE on; the first of EVERY executions is stopped so
 * long, as another program has the processor; the first one is said to have made so many pages, of which each takes a look at the clock; each second one has an outermost loop of ITERATIONS, and host loops as fast as kernels otherwise and the
 * other way round; prints the way each time, K or H, small where
 * nobody takes the time of host loops. Time is the program's own, so that nothing else counts. */
#define _GNU_SOURCE
#include <limits.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "support.h"

static long nanoseconds, stopped; /* the latter without a processor */
static long pages, stops;

/* In place of the C library's, for the runtime too. */
int clock_gettime(clockid_t clock, struct timespec *time) {
  enum { SECOND = 1000000000 };
  nanoseconds += 20; /* what a look at the clock takes */
  long now = nanoseconds - (clock == CLOCK_THREAD_CPUTIME_ID ? stopped : 0);
  *time = (struct timespec){now / SECOND, now % SECOND};
  return 0;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
  static int (*own)(__rusage_who_t, struct rusage *);
  if (!own) own = (int (*)(__rusage_who_t, struct rusage *))dlsym(RTLD_NEXT, "getrusage");
  int failed = own(who, usage);
  usage->ru_minflt += pages;
  usage->ru_nivcsw = stops;
  return failed;
}

static void work_for(double milliseconds) { nanoseconds += (long)(1e6 * milliseconds); }

static void kernel(const void *milliseconds, long first, long last) {
  for (long group = first; group < last; group++) work_for(*(const double *)milliseconds);
}

static int change = INT_MAX;
static double changed;
static int every = INT_MAX, made, iterations;
static double stop;

typedef struct costs {
  double operations, kernel, host; /* milliseconds */
  double stopped;                  /* of these */
  long pages;
  double outermost;
} costs;

static void touch_pages(void) {
  enum { PAGES = 64, BYTES = 4096 };
  volatile char *pages = mmap(NULL, PAGES * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < PAGES; i++) pages[i * BYTES] = 1;
}

static char run(accshare_region *region, costs costs, int touches) {
  const accshare_work work = {costs.operations, 0, 1, 0, costs.outermost};
  const accshare_launch launch = {0, 8, {1, 1, 1}, {1, 1, 1}, NULL, 0};
  accshare_native native;
  int pays = api()->pays ? api()->pays(region, &work, NULL, 0) : 1;
  if (touches) touch_pages();
  pages += costs.pages;
  stopped += (long)(1e6 * costs.stopped);
  stops += costs.stopped > 0;
  if (pays > 0 && api()->native(region, NULL, 0, &native)) {
    api()->native_launch(&native, &launch, kernel, &costs.kernel);
    api()->native_end(&native);
    return 'K';
  }
  work_for(costs.host);
  if (pays < 0) api()->ended(region);
  return pays ? 'H' : 'h';
}

static void run_often(accshare_region *region, int times, costs costs, double cold, double cold_way, int cold_times) {
  char seen[4] = "";
  for (int t = 0; t < times; t++) {
    struct costs now = costs;
    if (iterations && t % 2) now = (struct costs){costs.operations, costs.host, costs.kernel, 0, 0, iterations};
    if (t >= change) now.host = changed;
    now.stopped = t % every ? 0 : stop;
    now.pages = t ? 0 : made;
    now.kernel += (t < cold_times ? cold : 0) + (strchr(seen, 'K') ? 0 : cold_way) + now.stopped;
    now.host += (t < cold_times ? cold : 0) + (strchr(seen, 'H') ? 0 : cold_way) + now.stopped;
    char way = run(region, now, cold_times > 1 && t < cold_times);
    if (!strchr(seen, way)) seen[strlen(seen)] = way;
    putchar(way);
  }
}

int main(int argc, char **argv) {
  static const char *const kernels[] = {"kernel"};
  static const accshare_variant variants[] = {{"native", "cpu", "", "", kernels, 1, 1, 0, ACCSHARE_NATIVE | ACCSHARE_ANY_THREADS}};
  if (argc < 5) return 2;
  int regions = argc > 5 ? atoi(argv[5]) : 1;
  double cold = argc > 6 ? atof(argv[6]) : 0, cold_way = argc > 7 ? atof(argv[7]) : 0;
  int cold_times = argc > 8 ? atoi(argv[8]) : 1;
  if (argc > 10) {
    change = atoi(argv[9]);
    changed = atof(argv[10]);
  }
  if (argc > 12) {
    every = atoi(argv[11]);
    stop = atof(argv[12]);
  }
  if (argc > 13) made = atoi(argv[13]);
  if (argc > 14) iterations = atoi(argv[14]);
  accshare_region *all = calloc((size_t)regions, sizeof *all);
  for (int r = 0; r < regions; r++) {
    all[r] = (accshare_region){"learning.c", r + 1, "main", "region", variants, 1, NULL};
    run_often(&all[r], atoi(argv[1]), (costs){atof(argv[2]), atof(argv[3]), atof(argv[4]), 0, 0, 1}, cold, cold_way, cold_times);
  }
  putchar('\n');
  return 0;
}
