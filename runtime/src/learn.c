#include "learn.h"

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "clock.h"
#include "env.h"
#include "remember.h"
#include "text.h"

/* Measurements that each way needs; that the next run should hear of; and that count. */
enum { ENOUGH = 2, TOLD = 5, MANY = 200 };

/* Another way is tried where it may be so many times slower; and a second time, as the first one may have found nothing in
 * caches, where that costs no more than such a part of what the region has taken. */
static const double near = 4, again = 0.125;
/* Seconds that a region has taken before a device is opened, and kernels are built, to try that: it may cost a tenth of them. */
static const double worth_opening = 1;

/* Another way is taken where it is faster by so much. */
static const double faster = 0.85;
/* What one more measurement changes where it is shorter, and where it is longer, which may be somebody else's doing: it counts for no
 * more than so many times what was known. */
static const double weight_down = 0.5, weight_up = 0.0625, most = 2;
/* A change of what is known that the next run should hear of. */
static const double telling = 0.3;
/* Seconds that the clock may not see. */
static const double tick = 1e-9;

/* A region at one size. */
typedef struct learned {
  remembered known;
  float stored[WAYS]; /* rates in the file */
  double spent;       /* seconds, in earlier runs as far as their file tells */
  double regret[WAYS]; /* seconds that were lost by not going that way, since it was gone; they pay for moving data there */
  bool failed;        /* on the device */
  bool changed;
  times *shown;
  int size;
  struct learned *of_region, *next;
} learned;

static learned *all;

static __thread struct measuring {
  const accshare_region *region; /* NULL: nothing is measured */
  learned *size;
  way way;
  double operations, start, moved;
} measuring;

bool learn_wanted(void) { return env()->learn; }

/* --- what is known ------------------------------------------------------------------------------------------------ */

static uint64_t add_string(uint64_t key, const char *text) {
  const char *some = text ? text : "";
  return cache_hash(key, some, strlen(some) + 1);
}

static uint64_t region_key(const accshare_region *region) {
  uint64_t key = cache_hash(remember_key(), &region->line, sizeof region->line);
  key = add_string(add_string(add_string(key, region->file), region->function), region->name);
  for (unsigned i = 0; i < region->variant_count; i++) {
    const accshare_variant *variant = &region->variants[i];
    key = add_string(add_string(add_string(key, variant->target), variant->options), variant->source);
  }
  return key;
}

static uint32_t device_key(const device *device) {
  uint64_t key = add_string(add_string(add_string(0, device->platform_name), device->name), device->driver);
  return (uint32_t)(key ^ key >> 32);
}

/* The power of two. */
static int power_below(double number) {
  int power = 0;
  for (; number >= 2; number /= 2) power++;
  return power;
}

static learned *size_of(accshare_region *region, double operations) {
  region_state *state = program_state(region);
  int size = power_below(operations);
  for (learned *each = state->sizes; each; each = each->of_region) {
    if (each->size == size) return each;
  }
  if (!state->key) state->key = region_key(region);
  learned *made = allocate(sizeof *made);
  made->size = size;
  made->known.key = cache_hash(state->key, &size, sizeof size);
  remember_find(made->known.key, &made->known);
  for (way way = 0; way < WAYS; way++) {
    made->stored[way] = made->known.rate[way];
    made->spent += made->known.count[way] * made->known.rate[way] * operations;
  }
  made->shown = profile_times(state->record, operations);
  made->of_region = state->sizes;
  made->next = all;
  return state->sizes = all = made;
}

static bool any_measured(const remembered *known) {
  return known->count[ON_HOST] || known->count[BY_THREADS] || known->count[ON_DEVICE];
}

/* What was measured on another device counts no more. */
static void settle_device(learned *size, const device *device) {
  remembered *known = &size->known;
  uint32_t key = device_key(device);
  size->shown->device = device->name;
  if (known->device == key) return;
  known->device = key;
  known->rate[ON_DEVICE] = 0;
  known->count[ON_DEVICE] = 0;
  if (known->way == ON_DEVICE) known->way = known->count[BY_THREADS] ? BY_THREADS : ON_HOST;
}

/* --- deciding ----------------------------------------------------------------------------------------------------- */

/* Seconds that a way is expected to take now. */
static double cost(const learned *size, const expectation *expected, way way) {
  const prospect *prospect = &expected->ways[way];
  double staying = prospect->staying - (size ? size->regret[way] : 0);
  return prospect->seconds + prospect->moving + (staying > 0 ? staying : 0);
}

static bool is_open(const expectation *expected, way way) { return expected->ways[way].possible && expected->ways[way].ready; }

/* The best of the ways that are open and `measured`, or of all that are open; WAYS where there is none. The one that is gone has an
 * advantage. */
static way best(const learned *size, const expectation *expected, bool measured) {
  way found = WAYS;
  double least = 0;
  for (way way = 0; way < WAYS; way++) {
    if (!is_open(expected, way) || (measured && !size->known.count[way])) continue;
    double seconds = cost(size, expected, way);
    if (measured && way == size->known.way) seconds *= faster;
    if (found != WAYS && seconds >= least) continue;
    found = way;
    least = seconds;
  }
  return found;
}

/* Whether another way than `now` may pay, so that it is to be measured, and costs no more than what the region has taken so far. */
static bool may_pay(const learned *size, const expectation *expected, way other, way now) {
  unsigned count = size->known.count[other];
  double seconds = cost(size, expected, other);
  if (count >= ENOUGH || other == now || (other == ON_DEVICE && size->failed)) return false;
  if (count) return seconds <= again * size->spent;
  return seconds <= near * cost(size, expected, now) && seconds <= size->spent;
}

/* The way that is expected to be fastest; or one to measure. */
static way choose(learned *size, expectation *expected) {
  remembered *known = &size->known;
  way now = best(size, expected, true);
  if (now == WAYS) now = best(size, expected, false);
  const prospect *device = &expected->ways[ON_DEVICE];
  if (device->possible && !device->ready) {
    bool goes = known->count[ON_DEVICE] && known->way == ON_DEVICE;
    expected->wanted = goes || (size->spent >= worth_opening && may_pay(size, expected, ON_DEVICE, now));
  }
  for (way other = 0; other < WAYS; other++) {
    if (is_open(expected, other) && known->count[now] && may_pay(size, expected, other, now)) return other;
  }
  bool settled = known->count[now] && is_open(expected, (way)known->way);
  if (settled && now != (way)known->way) {
    known->way = (uint8_t)now;
    size->changed = true;
  }
  return now;
}

/* Seconds that other ways would have saved. */
static void count_regret(learned *size, const expectation *expected, way taken) {
  const prospect *gone = &expected->ways[taken];
  for (way way = 0; way < WAYS; way++) {
    const prospect *other = &expected->ways[way];
    double lost = gone->seconds + gone->moving - other->seconds - other->moving;
    if (other->possible && size->known.count[way] && lost > 0) size->regret[way] += lost;
  }
  size->regret[taken] = 0;
}

way learn_begin(accshare_region *region, expectation *expected) {
  measuring.region = NULL;
  if (!learn_wanted() || !(expected->operations >= 1) || !(expected->operations < 1e30)) return best(NULL, expected, false);
  learned *size = size_of(region, expected->operations);
  if (expected->device) settle_device(size, expected->device);
  if (size->failed) expected->ways[ON_DEVICE].possible = false;
  unsigned known = 0;
  for (way way = 0; way < WAYS; way++) {
    if (!size->known.count[way]) continue;
    expected->ways[way].seconds = size->known.rate[way] * expected->operations;
    known++;
  }
  way taken = choose(size, expected);
  if (known > 1) expected->measured = "measured to be faster";
  if (known && !size->known.count[taken]) expected->measured = "to be measured";
  if (known && size->known.count[taken] < ENOUGH && taken != (way)size->known.way) expected->measured = "to be measured";
  if (expected->wanted) expected->measured = "no device is ready yet";
  count_regret(size, expected, taken);
  measuring = (struct measuring){region, size, taken, expected->operations, clock_seconds(), 0};
  return taken;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static void note(learned *size, way taken, double rate) {
  remembered *known = &size->known;
  double before = known->rate[taken];
  if (!known->count[taken]) {
    known->rate[taken] = (float)rate;
  } else if (known->count[taken] < ENOUGH) {
    known->rate[taken] = (float)(rate < before ? rate : before);
  } else {
    double change = (rate < most * before ? rate : most * before) - before;
    known->rate[taken] = (float)(before + (change < 0 ? weight_down : weight_up) * change);
  }
  if (!any_measured(known)) known->way = (uint8_t)taken;
  if (known->count[taken] < TOLD) size->changed = true;
  if (known->count[taken] < MANY) known->count[taken]++;
  double stored = size->stored[taken], change = known->rate[taken] - stored;
  if (change > telling * stored || -change > telling * stored) size->changed = true;
}

bool learn_measures(const accshare_region *region) { return measuring.region == region; }

void learn_moved(double seconds) { measuring.moved += seconds; }

void learn_drop(void) { measuring.region = NULL; }

void learn_failed(const accshare_region *region) {
  if (measuring.region == region) measuring.size->failed = true;
  measuring.region = NULL;
}

void learn_end(const accshare_region *region) {
  if (measuring.region != region) return;
  learned *size = measuring.size;
  double seconds = clock_seconds() - measuring.start - measuring.moved + tick;
  measuring.region = NULL;
  note(size, measuring.way, (seconds > tick ? seconds : tick) / measuring.operations);
  size->spent += seconds + measuring.moved;
  for (way way = 0; way < WAYS; way++) size->shown->seconds[way] = size->known.rate[way] * size->shown->operations;
  size->shown->way = (way)size->known.way;
}

void learn_store(void) {
  unsigned count = 0;
  remembered *changed = NULL;
  for (learned *each = all; each; each = each->next) {
    if (!each->changed) continue;
    changed = reallocate(changed, (count + 1) * sizeof *changed);
    changed[count++] = each->known;
    each->changed = false;
  }
  if (count) remember_store(changed, count);
  free(changed);
}
