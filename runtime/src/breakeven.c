#include "breakeven.h"

#include "env.h"
#include "host.h"
#include "learn.h"
#include "message.h"
#include "pool.h"

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

/* What is known of one datum: whether it stays where it is, on the device, or what moving it takes. */
static bool look_at(const device *device, const accshare_datum *given, double *seconds) {
  accshare_datum datum = *given;
  if (datum.movement & ACCSHARE_PACKED) {
    double copies = data_comes_home(&datum) ? 2 : 1, bytes = (double)datum.bytes;
    *seconds += copies * bytes / packing_rate;
    if (!device->zero_copy) *seconds += copies * (bus_latency + bytes / bus_rate);
    return false;
  }
  if (!datum.bytes || !datum.origin) return false;
  data_recognise(device, &datum);
  if (datum_movement(&datum) == ACCSHARE_DEVICEPTR) return true;
  const entry *entry = present_overlap(&device->present, datum_start(&datum), datum.bytes);
  if (entry && !entry->together && entry->buffer && !entry->host_newer) return true;
  if ((entry && entry->together) || device->zero_copy) return false;
  bool in = entry || datum_movement(&datum) == ACCSHARE_COPY || datum_movement(&datum) == ACCSHARE_COPYIN;
  bool out = !entry && data_comes_home(&datum);
  *seconds += (in + out) * (bus_latency + (double)(entry ? entry->bytes : datum.bytes) / bus_rate);
  return false;
}

/* Seconds on the device; below 0 where data is that has to stay there. */
static double device_seconds(const device *device, const accshare_work *work, const accshare_datum *data,
                             unsigned count) {
  const rates *rates = rates_of(device);
  double seconds = work->launches * launch_seconds(device) + work->longest / rates->item;
  seconds += work->atomics * rates->atomic;
  seconds += work->operations / (rates->unit * (device->compute_units ? device->compute_units : 1));
  for (unsigned i = 0; i < count; i++) {
    if (look_at(device, &data[i], &seconds)) return -1;
  }
  return seconds;
}

void breakeven_native(void) {
  if (least_launch <= own.launch) return;
  least_launch = own.launch;
  breakeven_refresh();
}

static double native_seconds(const accshare_work *work) {
  double seconds = work->launches * own.launch + work->longest / own.item + work->atomics * own.atomic;
  return seconds + work->operations / (own.unit * (double)pool_threads());
}

/* Says why a region goes the way that measurements tell, against what was expected, or to be measured. */
static void notify_kernels(const accshare_region *region, const expectation *expected) {
  if (!(env()->notify & NOTIFY_LAUNCHES) || !expected->measured) return;
  warn("kernels file=%s line=%d reason=\"%s\" host_us=%.3g kernels_us=%.3g", region->file, region->line, expected->measured,
       1e6 * expected->seconds[ON_HOST], 1e6 * expected->seconds[BY_KERNELS]);
}

/* The answer of `pays`, given what is expected. */
static int decide(accshare_region *region, const accshare_datum *data, unsigned count, expectation *expected) {
  if (learn_begin(region, expected) == BY_KERNELS) {
    notify_kernels(region, expected);
    return 1;
  }
  const char *unused;
  device *device = device_in_use() ? device_current(&unused) : NULL;
  for (unsigned i = 0; i < count && device; i++) host_takes(device, region, &data[i]);
  double here = expected->seconds[ON_HOST], there = expected->seconds[BY_KERNELS];
  if (expected->measured) {
    host_measured(region, expected->measured, here, there);
  } else {
    host_smaller(region, here, there);
  }
  return learn_measures(region) ? -1 : 0;
}

int breakeven_pays(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count) {
  expectation expected = {.operations = work->operations, .where = "native", .ready = true};
  learn_drop();
  if (!device_wanted()) return 1; /* `begin` says why there is none */
  expected.seconds[ON_HOST] = host_seconds(work, data, count);
  if (program_native(region) >= 0) {
    expected.seconds[BY_KERNELS] = native_seconds(work);
    return decide(region, data, count, &expected);
  }
  double least = work->launches * least_launch;
  if (!device_in_use() && expected.seconds[ON_HOST] <= least) {
    host_smaller(region, expected.seconds[ON_HOST], least);
    return 0;
  }
  const char *reason;
  device *device = device_current(&reason);
  if (!device) return 1;
  expected.seconds[BY_KERNELS] = device_seconds(device, work, data, count);
  if (expected.seconds[BY_KERNELS] < 0) return 1;
  expected.where = device->name;
  expected.ready = program_is_built(region, device);
  return decide(region, data, count, &expected);
}
