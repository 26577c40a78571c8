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

/* The other way is tried where it may be so many times slower; and a second time, as the first one may have found nothing in
 * caches, where that costs no more than such a part of what the region has taken. */
static const double near = 4, again = 0.125;

/* The other way is taken where it is faster by so much. */
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
  float stored[2]; /* rates in the file */
  double spent;    /* seconds, in earlier runs as far as their file tells */
  bool changed;
  times *shown;
  int size;
  const char *where;
  struct learned *of_region, *next;
} learned;

static learned *all;

static __thread struct measuring {
  const accshare_region *region; /* NULL: nothing is measured */
  learned *size;
  way way;
  double operations, start;
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

/* The power of two. */
static int power_below(double number) {
  int power = 0;
  for (; number >= 2; number /= 2) power++;
  return power;
}

static learned *size_of(accshare_region *region, const expectation *expected) {
  region_state *state = program_state(region);
  int size = power_below(expected->operations);
  for (learned *each = state->sizes; each; each = each->of_region) {
    if (each->size == size && each->where == expected->where) return each;
  }
  if (!state->key) state->key = region_key(region);
  learned *made = allocate(sizeof *made);
  made->size = size;
  made->where = expected->where;
  made->known.key = add_string(cache_hash(state->key, &size, sizeof size), expected->where);
  remember_find(made->known.key, &made->known);
  for (unsigned i = 0; i < 2; i++) {
    made->stored[i] = made->known.rate[i];
    made->spent += made->known.count[i] * made->known.rate[i] * expected->operations;
  }
  made->shown = profile_times(state->record, expected->operations, expected->where);
  made->of_region = state->sizes;
  made->next = all;
  return state->sizes = all = made;
}

/* --- deciding ----------------------------------------------------------------------------------------------------- */

/* The way that is expected to be faster; or one that isn't, to measure it, where that may pay and costs no more than what the
 * region has taken so far. */
static way choose(learned *size, const expectation *expected) {
  remembered *known = &size->known;
  const double *seconds = expected->seconds;
  if (!known->count[ON_HOST] && !known->count[BY_KERNELS]) {
    return seconds[BY_KERNELS] < seconds[ON_HOST] ? BY_KERNELS : ON_HOST;
  }
  way now = (way)known->way, other = now == ON_HOST ? BY_KERNELS : ON_HOST;
  if (known->count[other] && seconds[other] < faster * seconds[now]) {
    known->way = (uint8_t)other;
    size->changed = true;
    return other;
  }
  if ((other == BY_KERNELS && !expected->ready) || known->count[other] >= ENOUGH) return now;
  bool may = known->count[other] ? seconds[other] <= again * size->spent
                                 : seconds[other] <= near * seconds[now] && seconds[other] <= size->spent;
  return may ? other : now;
}

way learn_begin(accshare_region *region, expectation *expected) {
  way model = expected->seconds[BY_KERNELS] < expected->seconds[ON_HOST] ? BY_KERNELS : ON_HOST;
  measuring.region = NULL;
  if (!learn_wanted() || !(expected->operations >= 1) || !(expected->operations < 1e30)) return model;
  learned *size = size_of(region, expected);
  for (unsigned i = 0; i < 2; i++) {
    if (size->known.count[i]) expected->seconds[i] = size->known.rate[i] * expected->operations;
  }
  way taken = choose(size, expected);
  if (size->known.count[ON_HOST] && size->known.count[BY_KERNELS]) expected->measured = "measured to be faster";
  if (size->known.count[size->known.way] && taken != (way)size->known.way) expected->measured = "to be measured";
  measuring = (struct measuring){region, size, taken, expected->operations, clock_seconds()};
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
  if (!known->count[ON_HOST] && !known->count[BY_KERNELS]) known->way = (uint8_t)taken;
  if (known->count[taken] < TOLD) size->changed = true;
  if (known->count[taken] < MANY) known->count[taken]++;
  double stored = size->stored[taken], change = known->rate[taken] - stored;
  if (change > telling * stored || -change > telling * stored) size->changed = true;
}

bool learn_measures(const accshare_region *region) { return measuring.region == region; }

void learn_drop(void) { measuring.region = NULL; }

void learn_end(const accshare_region *region) {
  if (measuring.region != region) return;
  learned *size = measuring.size;
  double seconds = clock_seconds() - measuring.start + tick;
  measuring.region = NULL;
  note(size, measuring.way, seconds / measuring.operations);
  size->spent += seconds;
  for (unsigned i = 0; i < 2; i++) size->shown->seconds[i] = size->known.rate[i] * size->shown->operations;
  size->shown->on_host = size->known.way == ON_HOST;
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
