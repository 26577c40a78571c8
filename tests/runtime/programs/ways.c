/* ways TIMES OPERATIONS NATIVE_MS HOST_MS SPINS [WHAT...]: a region of so many operations runs so often, by a native kernel or its host
 * loops, which take so long, or on a device, whose work-items go so often round a loop. Prints the way each time, H, N or
 * D, and whether the numbers are right. WHAT: "data" makes the data present, "turns" has another region, which is native only, change them in
 * between, "fork" a child go on behind the fourth D, "unload" frees the kernels' texts after each run, "gpu" calls the kernels those
 * of a GPU, "D" ends behind the eighth D, "second" then has another region of the
 * same kernel run until that goes D, "both" has it run beside the first one. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

enum { N = 100000 };

static const char text[] =
    "__kernel void more(__global float *y, long y_first, long spins) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y += y_first;\n"
    "  uint state = (uint)i;\n"
    "  for (long k = 0; k < spins; k++) state = state * 1664525u + 1013904223u;\n"
    "  y[i] += 1 + (state == 77 && spins < 0);\n"
    "}\n";

static float y[N];
static double native_ms, host_ms;
static long spins;

static void take(double milliseconds) {
  const struct timespec time = {(time_t)(milliseconds / 1000), (long)(1e6 * milliseconds) % 1000000000};
  nanosleep(&time, NULL);
}

static void more(const void *unused, long first, long last) {
  (void)unused, (void)first, (void)last;
  for (int i = 0; i < N; i++) y[i] += 1;
}

static int by_device(accshare_region *region, const accshare_datum *data) {
  accshare_session *session = api()->begin(region, data, 1);
  if (!session) return 0;
  const accshare_arg args[] = {{ACCSHARE_ARG_DATUM, 0, NULL, 0}, {ACCSHARE_ARG_VALUE, 0, &spins, sizeof spins}};
  const accshare_launch launch = {0, 8, {N / 100, 1, 1}, {100, 1, 1}, args, 2};
  api()->launch(session, &launch);
  return api()->end(session);
}

static int runs;

static char run(accshare_region *region, double operations, double by_threads, double by_host) {
  const accshare_work work = {operations, 0, 1, 0, 1};
  const accshare_launch launch = {0, 8, {1, 1, 1}, {1, 1, 1}, NULL, 0};
  const accshare_datum data[] = {DATUM(ACCSHARE_COPY, y, 0, N)};
  accshare_native native;
  runs++;
  int pays = api()->pays ? api()->pays(region, &work, data, 1) : 1;
  if (pays > 0 && api()->native(region, data, 1, &native)) {
    take(by_threads);
    api()->native_launch(&native, &launch, more, NULL);
    api()->native_end(&native);
    return 'N';
  }
  if (pays > 0 && region->variant_count > 1 && by_device(region, data)) return 'D';
  take(by_host);
  more(NULL, 0, 1);
  if (pays < 0) api()->ended(region);
  return 'H';
}

static int is_asked(int argc, char **argv, const char *what) {
  for (int i = 6; i < argc; i++) {
    if (!strcmp(argv[i], what)) return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  static const char *const kernels[] = {"more"};
  if (argc < 6) return 2;
  int times = atoi(argv[1]), present = is_asked(argc, argv, "data"), turns = is_asked(argc, argv, "turns"), device = 0;
  int unload = is_asked(argc, argv, "unload"), forks = is_asked(argc, argv, "fork"), forked = 0, child = 1, until = is_asked(argc, argv, "D");
  const char *kind = is_asked(argc, argv, "gpu") ? "gpu" : "cpu";
  native_ms = atof(argv[3]);
  host_ms = atof(argv[4]);
  spins = atol(argv[5]);
  api()->control(ACCSHARE_OWN_KERNELS, -1, -1);
  if (present) data_op(ACCSHARE_ENTER, ACCSHARE_STRUCTURED, ACCSHARE_COPY, y, 0, N);
  static const accshare_variant alone[] = {{"native", "cpu", "", "", kernels, 1, 1, 0, ACCSHARE_NATIVE}};
  static accshare_region other = {"ways.c", 2, "main", "other", alone, 1, NULL};
  const accshare_variant both[] = {alone[0], {"generic", kind, text, "", kernels, 1, 100, 0, 0}};
  accshare_region second = {"ways.c", 3, "main", "second", both, 2, NULL};
  void *runtime = NULL;
  for (int done = 0; done < times && !(until && device == 8); done++) {
    char *source = strdup(text);
    accshare_variant variants[] = {{"native", "cpu", "", "", kernels, 1, 1, 0, ACCSHARE_NATIVE},
                                   {"generic", kind, source, "", kernels, 1, 100, 0, 0}};
    accshare_region region = {"ways.c", 1, "main", "region", variants, 2, runtime};
    char way = run(&region, atof(argv[2]), native_ms, host_ms);
    device += way == 'D';
    putchar(way);
    runtime = region.runtime;
    if (unload) memset(source, 'x', strlen(source));
    free(source);
    if (turns) run(&other, 1e9, 0, 0);
    if (is_asked(argc, argv, "both")) run(&second, atof(argv[2]), native_ms, host_ms);
    if (forks && !forked && device == 4) {
      fflush(stdout);
      forked = 1;
      child = (int)fork();
      if (child == 0) times = done + 5, present = 0;
    }
  }
  if (is_asked(argc, argv, "second")) {
    putchar(' ');
    for (char way = 0; way != 'D' && runs < times;) putchar(way = run(&second, atof(argv[2]), native_ms, host_ms));
  }
  if (present) data_op(ACCSHARE_EXIT, ACCSHARE_STRUCTURED, ACCSHARE_COPYOUT, y, 0, N);
  int wrong = 0, status = 0;
  for (int i = 0; i < N; i++) wrong += y[i] != (float)runs;
  if (child > 1) waitpid(child, &status, 0);
  if (!child) return wrong != 0;
  printf(" %s%s\n", wrong ? "wrong" : "right", status ? ", and a child's are not" : "");
  return 0;
}
