#include "learn.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cache.h"
#include "clock.h"
#include "env.h"
#include "interruptions.h"
#include "numbers.h"
#include "pool.h"
#include "remember.h"
#include "routes.h"
#include "text.h"

/* Measurements whose shortest counts; of which the next run should hear; and after which they all count alike. */
enum { SHORTEST = 2, TOLD = 5, MANY = 200 };

/* Pages that are touched for the first time in an execution that tells nothing of others; how often a way is forgiven that. */
enum { PAGES = 8, FORGIVEN = 3 };

/* How often a way is measured in vain before it is no more seldom measured. */
enum { REFUTED = 8 };

/* A way that nobody has measured is tried soon where it is expected to be no more than so many times slower. */
static const double near = 4;
/* One that was measured and found slower is measured again when the region has since taken so many times what that may lose, times the
 * square of how often it was. One that is expected to be slower still than `near` is tried when the region has taken so many times what
 * that may lose, times by how much it is: estimates count operations that compilers take away. */
static const double doubt = 12;
/* Seconds that a region has taken before kernels are built for a device that is open, to try that; and that all regions have for
 * which a device may pay before one is opened: each may cost a tenth of them. */
static const double worth_building = 0.1, worth_opening = 1;

/* Another way is taken where it is faster by so much. */
static const double faster = 0.85;
/* What one more measurement changes where it is shorter, and where it is longer, which may be somebody else's doing: it counts for no
 * more than so many times what was known. */
static const double weight_down = 0.5, weight_up = 0.0625, most = 2;
/* A change of what is known that the next run should hear of, and seconds beside which telling takes nothing. */
static const double telling = 0.3, worth_telling = 0.05;
/* Seconds that the clock may not see. */
static const double tick = 1e-9;
/* Seconds of an execution that is worth to ask what of them others had the processor; for what touches pages, no more than such a part is taken away. */
static const double worth_watching = 2e-4, most_touching = 0.75;

/* A region at one size. */
typedef struct learned {
  remembered known, stored; /* now, and in the file */
  turn turn;           /* of the next execution */
  double regret[WAYS]; /* seconds that were lost by not going that way, since it was gone; they pay for moving data there */
  bool failed;         /* on the device */
  bool hopes;          /* for a device that is not ready */
  bool changed;
  times *shown;
  int size;
  struct learned *of_region, *next;
} learned;

static learned *all;
/* Seconds of this run in which regions hoped for a device. */
static double hoping;

static __thread struct measuring {
  const accshare_region *region; /* NULL: nothing is measured */
  learned *size;
  turn turn;
  way way;
  double operations, start, apart;
  double times;  /* executions that it stands for */
  double own;    /* this thread's own time before */
  interruptions befell; /* before */
  bool watched;  /* the two were asked for */
  bool forgiven; /* it is no measurement where it touches pages */
  bool settled;  /* the next ones would go the same way */
} measuring;

bool learn_wanted(void) { return env()->learn; }

/* --- what is known ------------------------------------------------------------------------------------------------ */

static uint64_t add_string(uint64_t key, const char *text) {
  const char *some = text ? text : "";
  return cache_hash(key, some, strlen(some) + 1);
}

/* Of the kernels themselves only how large they are: to read a source takes longer than small regions, and what is known of another one
 * is measured anew. */
static uint64_t region_key(const accshare_region *region) {
  uint64_t key = cache_hash(remember_key(), &region->line, sizeof region->line);
  key = add_string(add_string(add_string(key, region->file), region->function), region->name);
  for (unsigned i = 0; i < region->variant_count; i++) {
    const accshare_variant *variant = &region->variants[i];
    key = add_string(add_string(key, variant->target), variant->options);
    key = cache_hash(key, &variant->work_group, sizeof variant->work_group);
    key = cache_hash(key, &variant->local_bytes, sizeof variant->local_bytes);
  }
  return key;
}

static uint32_t device_key(const device *device) {
  uint64_t key = add_string(add_string(add_string(0, device->platform_name), device->name), device->driver);
  return (uint32_t)(key ^ key >> 32);
}

static learned *size_of(accshare_region *region, double operations, int size) {
  region_state *state = program_state(region);
  for (learned *each = state->sizes; each; each = each->of_region) {
    if (each->size == size) return each;
  }
  if (!state->key) state->key = region_key(region);
  learned *made = allocate(sizeof *made);
  made->size = size;
  made->known.key = cache_hash(state->key, &size, sizeof size);
  remember_find(made->known.key, &made->known);
  made->stored = made->known;
  made->shown = profile_times(state->record, operations);
  made->of_region = state->sizes;
  made->next = all;
  return state->sizes = all = made;
}

static bool any_measured(const measured *times) {
  return times->count[ON_HOST] || times->count[BY_THREADS] || times->count[ON_DEVICE];
}

/* Whether measurements tell what such an execution takes: a first one that made pages tells nothing of later ones. */
static bool is_known(const remembered *known, turn turn, way way) {
  const measured *first = &known->turns[FIRST], *later = &known->turns[LATER];
  return known->turns[turn].count[way] || (turn == FIRST ? later->count[way] : first->count[way] && !first->touched[way]);
}

/* What an operation takes longer in the first execution, whichever way that goes; 0 where no way tells. */
static double cold_rate(const remembered *known) {
  const measured *first = &known->turns[FIRST], *later = &known->turns[LATER];
  double least = HUGE_VAL;
  for (way way = 0; way < WAYS; way++) {
    if (first->count[way] && later->count[way]) least = lesser(least, first->rate[way] - later->rate[way]);
  }
  return least < HUGE_VAL ? greater(least, 0) : 0;
}

/* What an operation takes by a way that is known: as it was measured, or as an execution of the other kind lets expect. */
static double rate_of(const remembered *known, turn turn, way way) {
  if (known->turns[turn].count[way]) return known->turns[turn].rate[way];
  if (turn == FIRST) return known->turns[LATER].rate[way] + cold_rate(known);
  return greater(known->turns[FIRST].rate[way] - cold_rate(known), 0);
}

/* What was measured on another device counts no more. */
static void settle_device(learned *size, const device *device) {
  remembered *known = &size->known;
  uint32_t key = device_key(device);
  size->shown->device = device->name;
  if (known->device == key) return;
  known->device = key;
  for (turn turn = FIRST; turn < TURNS; turn++) {
    measured *times = &known->turns[turn];
    times->rate[ON_DEVICE] = 0;
    times->count[ON_DEVICE] = 0;
    if (times->way == ON_DEVICE) times->way = times->count[BY_THREADS] ? BY_THREADS : ON_HOST;
  }
}

/* --- deciding ----------------------------------------------------------------------------------------------------- */

/* Seconds that a way is expected to take now. */
static double cost(const learned *size, const expectation *expected, way way) {
  const prospect *prospect = &expected->ways[way];
  double staying = prospect->staying - (size ? size->regret[way] : 0);
  return prospect->seconds + prospect->moving + (staying > 0 ? staying : 0);
}

static bool is_open(const expectation *expected, way way) { return expected->ways[way].possible && expected->ways[way].ready; }

/* The best of the ways that are open and known, or of all that are open; WAYS where there is none. The one that is gone has an
 * advantage. */
static way best(const learned *size, const expectation *expected, bool known) {
  const measured *times = size ? &size->known.turns[size->turn] : NULL;
  way found = WAYS;
  double least = 0;
  for (way way = 0; way < WAYS; way++) {
    if (!is_open(expected, way) || (known && !is_known(&size->known, size->turn, way))) continue;
    double seconds = cost(size, expected, way);
    if (known && way == times->way && times->count[way]) seconds *= faster;
    if (found != WAYS && seconds >= least) continue;
    found = way;
    least = seconds;
  }
  return found;
}

/* Whether another way than `now` is to be measured: what that is expected to lose is little beside what the region has taken. */
static bool may_pay(const learned *size, const expectation *expected, way other, way now) {
  if (other == now || (other == ON_DEVICE && size->failed)) return false;
  double seconds = cost(size, expected, other), here = cost(size, expected, now);
  if (!is_known(&size->known, size->turn, other)) {
    double times = seconds / (near * here);
    return (times > 1 ? doubt * times : 1) * (seconds - here) <= size->known.spent;
  }
  const measured *times = &size->known.turns[size->turn];
  double count = times->count[other] ? 1 + times->refuted[other] : 0.5;
  return doubt * count * count * greater(seconds - here, (1 - faster) * here) <= times->since[other];
}

static bool goes_to_device(const remembered *known) {
  for (turn turn = FIRST; turn < TURNS; turn++) {
    const measured *times = &known->turns[turn];
    if (times->count[ON_DEVICE] && times->way == ON_DEVICE) return true;
  }
  return false;
}

static bool is_worth_preparing(const learned *size) {
  double spent = size->known.spent;
  return device_in_use() ? spent >= worth_building : greater(spent, hoping) >= worth_opening;
}

/* The way that is expected to be fastest; or one to measure. */
static way choose(learned *size, expectation *expected) {
  measured *times = &size->known.turns[size->turn];
  size->hopes = false;
  way now = best(size, expected, true);
  if (now == WAYS) now = best(size, expected, false);
  bool known = is_known(&size->known, size->turn, now);
  const prospect *device = &expected->ways[ON_DEVICE];
  if (device->possible && !device->ready) {
    size->hopes = size->known.turns[LATER].count[ON_DEVICE] < SHORTEST && may_pay(size, expected, ON_DEVICE, now);
    expected->wanted = goes_to_device(&size->known) || (size->hopes && is_worth_preparing(size));
  }
  for (way other = 0; other < WAYS; other++) {
    if (!known || !is_open(expected, other) || !may_pay(size, expected, other, now)) continue;
    expected->measured = "to be measured";
    return other;
  }
  bool settled = times->count[now] && is_open(expected, (way)times->way);
  if (settled && now != (way)times->way) {
    times->refuted[now] = times->refuted[times->way] = 0;
    times->way = (uint8_t)now;
    size->changed = true;
  }
  return now;
}

/* Seconds that other ways would have saved in so many executions. */
static void count_regret(learned *size, const expectation *expected, way taken, double times) {
  const prospect *gone = &expected->ways[taken];
  for (way way = 0; way < WAYS; way++) {
    const prospect *other = &expected->ways[way];
    double lost = gone->seconds + gone->moving - other->seconds - other->moving;
    if (other->possible && is_known(&size->known, size->turn, way) && lost > 0) size->regret[way] += times * lost;
  }
  size->regret[taken] = 0;
}

/* --- what is somebody else's doing -------------------------------------------------------------------------------- */

/* Whether an execution is no measurement where it touches pages for the first time. */
static bool is_forgiven(const learned *size, way taken) {
  const measured *times = &size->known.turns[LATER];
  return size->turn == LATER && !times->count[taken] && times->touched[taken] < FORGIVEN;
}

/* Seconds in which a page is made: the least of some, so that nothing else counts. Threads that ask at the same time all find out. */
static double page_seconds(void) {
  enum { TRIED = 8 };
  static _Atomic(double) known;
  double least = atomic_load(&known);
  if (least > 0) return least;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = TRIED * page;
  volatile char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 0;
  for (size_t at = 0; at < bytes; at += page) {
    double from = clock_seconds();
    pages[at] = 1;
    double seconds = clock_seconds() - from + tick;
    if (!at || seconds < least) least = seconds;
  }
  munmap((void *)pages, bytes);
  atomic_store(&known, least);
  return least;
}

/* The last that is done before an execution. */
static void watch(struct measuring *now, double expected) {
  bool is_new = now->size->known.turns[now->turn].count[now->way] < TOLD;
  now->watched = now->way != ON_DEVICE && (is_new || expected >= worth_watching);
  if (now->watched) {
    pool_watch();
    now->befell = interruptions_so_far();
    now->own = clock_own_seconds();
  }
  now->start = clock_seconds();
}

/* What of an execution's `seconds` would have passed with nothing else to do for the processor, and no pages to make. What a thread waits
 * for workers it may do without a processor, unless it is they who have none; where it slept for other reasons, nobody tells how long. */
static double own_seconds(const struct measuring *now, double seconds, bool *touched) {
  double own = clock_own_seconds() - now->own;
  waits waited = pool_watched();
  interruptions before = now->befell, befell = interruptions_so_far();
  long pages = befell.pages - before.pages;
  bool stopped = own > 0 && befell.stops > before.stops && befell.sleeps <= before.sleeps + waited.sleeps;
  double left = (stopped ? lesser(seconds, own + waited.seconds) : seconds) - waited.stolen;
  *touched = pages >= PAGES;
  return *touched ? left - lesser((double)pages * page_seconds(), most_touching * left) : left;
}

way learn_begin(accshare_region *region, expectation *expected) {
  measuring.region = NULL;
  if (!learn_wanted() || !(expected->operations >= 1) || !(expected->operations < 1e30)) return best(NULL, expected, false);
  learned *size = size_of(region, expected->operations, expected->size);
  if (expected->device) settle_device(size, expected->device);
  if (size->failed) expected->ways[ON_DEVICE].possible = false;
  unsigned known = 0;
  for (way way = 0; way < WAYS; way++) {
    if (!is_known(&size->known, size->turn, way)) continue;
    expected->ways[way].seconds = rate_of(&size->known, size->turn, way) * expected->operations;
    known++;
  }
  way taken = choose(size, expected);
  bool settled = taken != ON_DEVICE && !expected->measured && !expected->wanted && size->known.turns[LATER].count[taken] >= TOLD;
  double times = 1 + routes_passed(region, size->size);
  if (known > 1 && !expected->measured) expected->measured = "measured to be faster";
  if (expected->wanted) expected->measured = "no device is ready yet";
  count_regret(size, expected, taken, times);
  measuring = (struct measuring){.region = region, .size = size, .turn = size->turn, .way = taken, .operations = expected->operations,
                                 .times = times, .forgiven = is_forgiven(size, taken), .settled = settled};
  watch(&measuring, expected->ways[taken].seconds);
  size->turn = LATER;
  return taken;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static void note(learned *size, turn turn, way taken, double rate) {
  measured *times = &size->known.turns[turn];
  double before = times->rate[taken];
  if (!times->count[taken]) {
    times->rate[taken] = (float)rate;
  } else if (times->count[taken] < SHORTEST) {
    times->rate[taken] = (float)lesser(rate, before);
  } else {
    double change = lesser(rate, most * before) - before;
    times->rate[taken] = (float)(before + (change < 0 ? weight_down : weight_up) * change);
  }
  if (!any_measured(times)) times->way = (uint8_t)taken;
  if (times->way != taken && times->refuted[taken] < REFUTED) times->refuted[taken]++;
  if (times->count[taken] < TOLD) size->changed = true;
  if (times->count[taken] < MANY) times->count[taken]++;
  double stored = size->stored.turns[turn].rate[taken];
  if (fabs(times->rate[taken] - stored) > telling * stored) size->changed = true;
}

static void count_spent(remembered *known, const struct measuring *done, double seconds, double own) {
  known->spent += done->times * seconds + done->apart;
  for (way way = 0; way < WAYS; way++) {
    for (turn turn = FIRST; turn < TURNS; turn++) known->turns[turn].since[way] += (float)(done->times * own);
  }
  known->turns[done->turn].since[done->way] = 0;
}

bool learn_measures(const accshare_region *region) { return measuring.region == region; }

int learn_known_steps(const accshare_region *region) {
  return measuring.region == region ? measuring.size->known.turns[LATER].steps : UNTOLD;
}

void learn_steps(const accshare_region *region, int steps) {
  if (measuring.region != region) return;
  measuring.size->known.turns[LATER].steps = (uint8_t)steps;
  measuring.size->changed = true;
}

void learn_apart(double seconds) { measuring.apart += seconds; }

void learn_drop(void) { measuring.region = NULL; }

void learn_failed(const accshare_region *region) {
  if (measuring.region == region) measuring.size->failed = true;
  measuring.region = NULL;
}

void learn_end(const accshare_region *region) {
  if (measuring.region != region) return;
  learned *size = measuring.size;
  double seconds = clock_seconds() - measuring.start - measuring.apart + tick;
  measuring.region = NULL;
  bool touched = false;
  double own = measuring.watched ? own_seconds(&measuring, seconds, &touched) : seconds;
  if (touched && measuring.forgiven) {
    size->known.turns[LATER].touched[measuring.way]++;
  } else {
    if (measuring.turn == FIRST) size->known.turns[FIRST].touched[measuring.way] = touched;
    note(size, measuring.turn, measuring.way, greater(own, tick) / measuring.operations);
  }
  remembered *known = &size->known;
  count_spent(known, &measuring, seconds, own);
  if (size->hopes) hoping += measuring.times * seconds;
  if (measuring.settled) routes_open(region, size->size, measuring.way, seconds);
  double untold = known->spent - size->stored.spent;
  if (untold > worth_telling || untold > telling * size->stored.spent) size->changed = true;
  turn shown = any_measured(&known->turns[LATER]) ? LATER : FIRST;
  for (way way = 0; way < WAYS; way++) {
    if (is_known(known, shown, way)) size->shown->seconds[way] = rate_of(known, shown, way) * size->shown->operations;
  }
  size->shown->way = (way)known->turns[shown].way;
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
