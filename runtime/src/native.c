#include "native.h"

#include <stdlib.h>

#include "breakeven.h"
#include "clock.h"
#include "cpu.h"
#include "data.h"
#include "env.h"
#include "host.h"
#include "learn.h"
#include "message.h"
#include "pool.h"
#include "text.h"

/* In front of scratch memory: what was allocated before. A multiple of a cache line, so that vectors lie well. */
typedef union block {
  void *before;
  _Alignas(64) char line[64];
} block;

static bool has_others(const accshare_region *region) {
  for (unsigned i = 0; i < region->variant_count; i++) {
    if (!(region->variants[i].flags & ACCSHARE_NATIVE)) return true;
  }
  return false;
}

/* What a device holds of the data, the program's own memory holds from now on; what is new may have to be zero. */
static void take_home(accshare_region *region, const accshare_datum *data, unsigned count) {
  const char *unused;
  device *device = device_in_use() ? device_current(&unused) : NULL;
  if (device) data_wait(device, data, count);
  for (unsigned i = 0; i < count; i++) {
    if (device && !(data[i].movement & ACCSHARE_PACKED)) host_takes(device, region, &data[i]);
    data_clear(device, &data[i]);
  }
}

bool native_told(void) { return env()->profile || env()->notify & NOTIFY_LAUNCHES; }

/* The clock, where somebody wants to know what regions take: a look takes longer than other things that are done for a small one. */
static double told_seconds(void) { return native_told() ? clock_seconds() : 0; }

/* When an execution began that nobody needs to see. */
static const double unseen = -1;

/* What does not hang on the number of threads does not ask for it, and nothing waits for what control groups grant. */
static accshare_native opened(accshare_region *region, unsigned variant, double start) {
  bool needless = region->variants[variant].flags & ACCSHARE_ANY_THREADS;
  return (accshare_native){variant, needless ? 0 : pool_expected(), region, NULL, start};
}

bool native_again(accshare_region *region, const accshare_datum *data, unsigned count, accshare_native *run) {
  if (!breakeven_unseen(region) || !cpu_usual_arithmetic()) return false;
  for (unsigned i = 0; i < count; i++) {
    if (data[i].movement & ACCSHARE_ZERO) return false;
  }
  breakeven_no_device(NULL);
  *run = opened(region, (unsigned)program_native(region), unseen);
  return true;
}

bool native_begin(accshare_region *region, const accshare_datum *data, unsigned count, accshare_native *run) {
  const char *refused = device_refused();
  int variant = refused ? -1 : program_native(region);
  if (variant >= 0 && has_others(region) && breakeven_way(region, data, count) == ON_DEVICE) return false;
  if (variant >= 0 && !cpu_usual_arithmetic()) {
    if (!has_others(region)) host_computes_apart(region, data, count);
    return false;
  }
  if (variant < 0) {
    if (has_others(region)) return false;
    if (!refused) refused = "no kernels for this processor, or for the chosen type of device";
    host_run(region, refused, device_host_by_wish() ? HOST_BY_WISH : HOST_NO_DEVICE);
    return false;
  }
  breakeven_no_device(NULL);
  take_home(region, data, count);
  *run = opened(region, (unsigned)variant, told_seconds());
  return true;
}

void *native_scratch(accshare_native *run, unsigned long bytes) {
  block *made = NULL;
  if (bytes > (unsigned long)-1 / 2 || posix_memalign((void **)&made, sizeof *made, sizeof *made + bytes)) return NULL;
  made->before = run->scratch;
  run->scratch = made;
  return made + 1;
}

void native_launch(const accshare_launch *launch, accshare_groups *groups, const void *arguments) {
  long count = 1;
  for (unsigned d = 0; d < 3; d++) count *= launch->groups[d] > 0 ? launch->groups[d] : 0;
  if (count) __accshare_pool_run(groups, arguments, count);
}

void native_account(const accshare_native *run, const accshare_launch *launch, double seconds) {
  const accshare_variant *variant = &run->region->variants[run->variant];
  record *record = program_state(run->region)->record;
  for (unsigned d = 0; d < 3; d++) {
    if (launch->groups[d] < 1) return;
  }
  record->launches++;
  record->kernel_seconds += seconds;
  if (!(env()->notify & NOTIFY_LAUNCHES)) return;
  warn("launch file=%s line=%d kernel=%s device=\"native\" grid=%ldx%ldx%ld block=1x1x1 variant=%s threads=%ld",
       run->region->file, launch->line, variant->kernels[launch->kernel], launch->groups[0], launch->groups[1],
       launch->groups[2], variant->target, (long)pool_threads());
}

static void free_scratch(accshare_native *run) {
  while (run->scratch) {
    block *last = run->scratch;
    run->scratch = last->before;
    free(last);
  }
}

bool native_ends_again(accshare_native *run) {
  if (run->start >= 0) return false;
  pool_started(); /* which nobody needs to know */
  free_scratch(run);
  return true;
}

void native_end(accshare_native *run) {
  record *record = program_state(run->region)->record;
  record->device = "native";
  if (!record->variant) record->variant = copy_string(run->region->variants[run->variant].target);
  record->runs++;
  record->seconds += told_seconds() - run->start;
  learn_apart(pool_started());
  learn_end(run->region);
  free_scratch(run);
}
