#include "breakeven.h"

#include <stdio.h>

#include "cpu.h"
#include "env.h"
#include "host.h"
#include "learn.h"
#include "message.h"
#include "on_host.h"
#include "pool.h"
#include "routes.h"

/* What the host does a second, in operations as accshare_work counts them, and in bytes that don't fit its own cache. */
static const double host_rate = 3e9, host_bandwidth = 1.5e10, host_cache = 1e6;

/* What devices of a kind cost and give. `launch` is the most seconds that a region with one launch is taken for, all
 * around it included; `unit` the operations a second of a compute unit, `item` of a work-item alone, `atomic` the seconds of a change in one piece: cores wait for each other's
 * cache lines, however many they are. */
typedef struct rates {
  double launch, unit, item, atomic;
} rates;

static const rates own = {2e-6, 6e9, 3e9, 1e-8}, cpu = {5e-5, 6e9, 3e9, 1e-8}, gpu = {3e-5, 4e9, 1e8, 1e-10};

/* To and from a device with its own memory: bytes a second, and seconds before the first of them. */
static const double bus_rate = 8e9, bus_latency = 1e-5;

volatile double breakeven_small;
static double least_launch = 3e-5; /* of all devices, ever */

static const rates *rates_of(const device *device) {
  return device->type & CL_DEVICE_TYPE_GPU ? &gpu : &cpu;
}

bool breakeven_wanted(void) { return env()->break_even && env()->offload != OFFLOAD_MANDATORY; }

void breakeven_refresh(void) {
  bool asked = env()->notify || env()->profile || env()->record;
  breakeven_small = breakeven_wanted() && !asked && !present_apart() ? least_launch * host_rate : 0;
}

__attribute__((constructor)) static void watch(void) { present_changed = breakeven_refresh; }

static double launch_seconds(const device *device) {
  return device->launch_seconds > 0 ? device->launch_seconds : rates_of(device)->launch;
}

void breakeven_met(device *device, double seconds) {
  if (!env()->learn) return;
  double most = rates_of(device)->launch, known = launch_seconds(device);
  device->launch_seconds = known + ((seconds < most ? seconds : most) - known) / 8; /* a moving average */
  if (device->launch_seconds >= least_launch) return;
  least_launch = device->launch_seconds;
  breakeven_refresh();
}

static double host_seconds(const accshare_work *work, const accshare_datum *data, unsigned count) {
  double bytes = -host_cache;
  for (unsigned i = 0; i < count; i++) bytes += (double)data[i].bytes;
  double computing = work->operations / host_rate, moving = bytes / host_bandwidth;
  return computing > moving ? computing : moving;
}

/* Bytes a second of a copy from one place of the host's memory to another. */
static const double packing_rate = 5e9;

/* What data mean for a device. */
typedef struct placing {
  double packing, moving, staying; /* seconds, as a prospect has them */
  double home; /* for the host's memory to have what is there, and the device again behind it */
  bool held;   /* the device's copy of something counts, or would have to be made again */
  bool bound;  /* something is there that can be nowhere else */
  bool barred; /* something is not there as the region needs it */
} placing;

static double transfer_seconds(const device *device, double bytes) {
  return (bus_latency + bytes / bus_rate) * (env()->learn && device->moving > 0 ? device->moving : 1);
}

static void place_packed(placing *placing, const device *device, const accshare_datum *datum) {
  double copies = data_comes_home(datum) ? 2 : 1, bytes = (double)datum->bytes;
  placing->packing += copies * bytes / packing_rate;
  if (!device->zero_copy) placing->moving += copies * transfer_seconds(device, bytes);
}

static void place_present(placing *placing, const device *device, const entry *entry) {
  double seconds = transfer_seconds(device, (double)entry->bytes);
  bool together = entry->together && device->entered;
  if (!together && entry->buffer && !entry->host_newer) {
    placing->held = true;
    placing->home += (entry->device_newer + 1) * seconds;
  } else if (!together && !device->zero_copy) {
    placing->staying += seconds;
  }
}

static void place_datum(placing *placing, const device *device, accshare_datum datum) {
  if (datum.movement & ACCSHARE_PACKED) place_packed(placing, device, &datum);
  if (datum.movement & ACCSHARE_PACKED || !datum.bytes || !datum.origin) return;
  data_recognise(device, &datum);
  const present_table *table = device->entered ? &device->present : on_host_table();
  char *start = datum_start(&datum);
  if (datum_movement(&datum) == ACCSHARE_DEVICEPTR) {
    const entry *addressed = present_by_address(table, start);
    placing->bound |= addressed && !addressed->shared;
    placing->barred |= !addressed;
    return;
  }
  const entry *entry = present_overlap(table, start, datum.bytes);
  if (entry) {
    placing->barred |= !present_find(table, start, datum.bytes);
    place_present(placing, device, entry);
    return;
  }
  placing->barred |= datum_movement(&datum) == ACCSHARE_PRESENT;
  bool in = datum_movement(&datum) == ACCSHARE_COPY || datum_movement(&datum) == ACCSHARE_COPYIN;
  if (!device->zero_copy) placing->moving += (in + data_comes_home(&datum)) * transfer_seconds(device, (double)datum.bytes);
}

static placing place_all(const device *device, const accshare_datum *data, unsigned count) {
  placing placing = {0};
  for (unsigned i = 0; i < count; i++) place_datum(&placing, device, data[i]);
  return placing;
}

static double device_seconds(const device *device, const accshare_work *work) {
  const rates *rates = rates_of(device);
  double seconds = work->launches * launch_seconds(device) + work->longest / rates->item;
  seconds += work->atomics * rates->atomic;
  return seconds + work->operations / (rates->unit * (device->compute_units ? device->compute_units : 1));
}

/* What a GPU takes that nobody has seen yet. */
static double unseen_seconds(const accshare_work *work) {
  enum { UNITS = 64 };
  double seconds = work->launches * gpu.launch + work->longest / gpu.item + work->atomics * gpu.atomic;
  return seconds + work->operations / (gpu.unit * UNITS);
}

void breakeven_native(void) {
  if (least_launch <= own.launch) return;
  least_launch = own.launch;
  breakeven_refresh();
}

static double native_seconds(const accshare_work *work) {
  double serial = work->launches * own.launch + work->longest / own.item + work->atomics * own.atomic;
  return serial + work->operations / (own.unit * (double)pool_expected());
}

/* --- deciding ----------------------------------------------------------------------------------------------------- */

/* What this thread decided last. */
static __thread struct decided {
  const accshare_region *region;
  way way;
  double moving; /* seconds that data were expected to travel */
  bool unseen;   /* by clocks, and nobody wants to know */
} decided;

/* What this thread is to run without a device. */
static __thread const accshare_region *without;

void breakeven_no_device(const accshare_region *region) { without = region; }

/* With nothing to learn, a device is opened for regions that take so many seconds without. */
static const double worth_waiting = 1e-3;

/* The device that a region with native kernels may take where the user wants devices and nothing is compared: a GPU. */
static const device *forced_device(accshare_region *region) {
  const char *unused;
  if (!program_suits(region, NULL) || !device_gpu_likely()) return NULL;
  const device *device = device_current(&unused);
  return device && device->type & CL_DEVICE_TYPE_GPU && program_suits(region, device) ? device : NULL;
}

way breakeven_way(accshare_region *region, const accshare_datum *data, unsigned count) {
  if (program_native(region) < 0) return ON_DEVICE;
  if (without == region) return BY_THREADS;
  if (decided.region == region) return decided.way;
  const char *unused;
  const device *device = breakeven_wanted() ? NULL : forced_device(region);
  if (device) return place_all(device, data, count).barred ? BY_THREADS : ON_DEVICE;
  if (device_in_use()) device = device_current(&unused);
  return device && place_all(device, data, count).bound ? ON_DEVICE : BY_THREADS;
}

void breakeven_moved(const accshare_region *region, device *device, double seconds) {
  const double least = 1e-4, longest = 64;
  if (decided.region != region || decided.moving < least || !env()->learn) return;
  double ratio = seconds / decided.moving, known = device->moving > 0 ? device->moving : 1;
  double now = known * (ratio < longest ? ratio : longest);
  device->moving = known + (now - known) / 4;
}

enum { TOLD = 128 };

/* What the ways are known or expected to take, by their names. */
static void tell_ways(char told[TOLD], const prospect *ways) {
  static const char *const names[WAYS] = {"host", "native", "device"};
  size_t length = 0;
  *told = '\0';
  for (way way = 0; way < WAYS; way++) {
    double seconds = ways[way].seconds + ways[way].moving + (way == ON_DEVICE ? ways[way].staying : 0);
    if (ways[way].possible) length += (size_t)snprintf(told + length, TOLD - length, " %s_us=%.3g", names[way], 1e6 * seconds);
  }
}

/* The answer of `pays` where kernels run. */
static int answer_kernels(const accshare_region *region, const expectation *expected, way taken) {
  if (!(env()->notify & NOTIFY_LAUNCHES) || !expected->measured) return 1;
  char told[TOLD];
  tell_ways(told, expected->ways);
  warn("kernels file=%s line=%d way=%s reason=\"%s\"%s", region->file, region->line, taken == BY_THREADS ? "native" : "device",
       expected->measured, told);
  return 1;
}

/* The answer of `pays` where the host loops run. */
static int answer_host(accshare_region *region, const accshare_datum *data, unsigned count, const expectation *expected) {
  const char *unused;
  device *device = device_in_use() ? device_current(&unused) : NULL;
  for (unsigned i = 0; i < count && device; i++) host_takes(device, region, &data[i]);
  const prospect *native = &expected->ways[BY_THREADS], *other = &expected->ways[ON_DEVICE];
  double here = expected->ways[ON_HOST].seconds, there = other->seconds + other->moving + other->staying;
  if (!other->possible || (native->possible && native->seconds < there)) there = native->seconds;
  char told[TOLD] = "";
  if (env()->notify & NOTIFY_LAUNCHES) tell_ways(told, expected->ways);
  if (expected->measured) {
    host_measured(region, expected->measured, told);
  } else if (there < here) {
    host_measured(region, "no device is ready yet", told);
  } else {
    host_smaller(region, here, there, told);
  }
  return learn_measures(region) ? -1 : 0;
}

static int decide(accshare_region *region, const accshare_datum *data, unsigned count, expectation *expected) {
  way taken = learn_begin(region, expected);
  if (expected->wanted) program_request(region);
  const prospect *gone = &expected->ways[taken];
  decided = (struct decided){region, taken, gone->moving + gone->staying, false};
  return taken == ON_HOST ? answer_host(region, data, count, expected) : answer_kernels(region, expected, taken);
}

/* Puts in what the device promises that is known. True where there is nothing to decide. */
static bool expect_device(accshare_region *region, device *device, const accshare_work *work,
                          const accshare_datum *data, unsigned count, expectation *expected) {
  bool native = expected->ways[BY_THREADS].possible;
  placing placing = place_all(device, data, count);
  if (placing.bound || (placing.held && !native)) return true;
  prospect *prospect = &expected->ways[ON_DEVICE];
  prospect->possible = !native || !placing.barred;
  prospect->ready = prospect->possible && program_is_ready(region, device);
  prospect->seconds = device_seconds(device, work) + placing.packing;
  prospect->moving = placing.moving;
  prospect->staying = placing.staying;
  expected->ways[ON_HOST].staying = expected->ways[BY_THREADS].staying = placing.home;
  expected->device = device;
  if (!env()->learn) prospect->ready = prospect->possible;
  return false;
}

/* The thread's device: at once, as far as it is known, where clocks decide; else it is waited for where that is worth it. */
static device *device_for(accshare_region *region, const expectation *expected, bool *unknown) {
  const char *unused;
  bool native = expected->ways[BY_THREADS].possible;
  if (env()->learn || (native && expected->ways[BY_THREADS].seconds < worth_waiting && !device_in_use())) {
    device *known = device_known(unknown);
    return known && program_suits(region, known) ? known : NULL;
  }
  *unknown = false;
  device *device = device_current(&unused);
  return device && program_suits(region, device) ? device : NULL;
}

/* What this thread is to run by kernels, as it was told before the rows were looked at. */
static __thread const accshare_region *early;

way breakeven_again(const accshare_region *region, const accshare_work *work) {
  if (!(breakeven_small > 0) || !device_at_home()) return WAYS;
  way way = routes_find(region, work);
  if (way == WAYS) return WAYS;
  if (learn_measures(region)) learn_drop();
  decided = (struct decided){region, way, 0, true};
  return way;
}

bool breakeven_unseen(const accshare_region *region) {
  return decided.unseen && decided.region == region && decided.way == BY_THREADS;
}

int breakeven_pays(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count) {
  expectation expected = {.operations = work->operations, .size = routes_size(work)};
  prospect *ways = expected.ways;
  bool unknown = false;
  learn_drop();
  decided.region = NULL;
  if (!device_wanted() || !cpu_usual_arithmetic()) return 1; /* `begin` says why there is none */
  bool native = program_native(region) >= 0;
  ways[ON_HOST] = (prospect){.possible = true, .ready = true, .seconds = host_seconds(work, data, count)};
  if (native) {
    double seconds = native_seconds(work);
    ways[BY_THREADS] = (prospect){.possible = true, .ready = true, .seconds = seconds};
  }
  double least = work->launches * least_launch;
  if (!native && !device_in_use() && ways[ON_HOST].seconds <= least) {
    char told[TOLD];
    ways[ON_DEVICE] = (prospect){.possible = true, .seconds = least};
    tell_ways(told, ways);
    host_smaller(region, ways[ON_HOST].seconds, least, told);
    return 0;
  }
  if (without != region && program_suits(region, NULL)) {
    device *device = device_for(region, &expected, &unknown);
    if (!device && !unknown && !native) return 1;
    if (device && expect_device(region, device, work, data, count, &expected)) {
      decided = (struct decided){region, ON_DEVICE, 0, false};
      return 1;
    }
    if (unknown && env()->learn) ways[ON_DEVICE] = (prospect){.possible = true, .seconds = unseen_seconds(work)};
  }
  return decide(region, data, count, &expected);
}

int breakeven_early(accshare_region *region, const accshare_work *work) {
  bool unknown;
  early = NULL;
  if (program_native(region) < 0 || env()->record || device_in_use() || device_known(&unknown)) return 1;
  way again = breakeven_again(region, work);
  int pays = again == WAYS ? breakeven_pays(region, work, NULL, 0) : again != ON_HOST;
  if (pays > 0 && decided.way == BY_THREADS) early = region;
  return pays;
}

bool breakeven_decided(const accshare_region *region) {
  bool decided = early == region;
  early = NULL;
  return decided;
}
