#include "pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "env.h"
#include "interruptions.h"
#include "numbers.h"
#include "ordering.h"
#include "processors.h"
#include "signals.h"

enum {
  MAX_THREADS = 256,
  CACHE_LINE = 64,
  GREED = 4,          /* a range is this part of what is left of a share */
  PATIENCE = 256,     /* looks between two at the clock, and at who else wants the processor */
  WOKEN = 2,          /* workers that each thread wakes: all are awake after as many steps as there are bits in their number */
  KNOWN = 256,        /* kernels whose pace is remembered */
  UNSEEN = 13,        /* launches of little of which the clock sees one; few cycles of a program are as long */
  LEAST_STACK = 2 << 20,
  MOST_GROUPS = 1 << 30 /* of a job */
};

/* In seconds. What groups must still be expected to take to be shared with workers: that are awake, asleep, not yet started. */
static const double if_awake = 3e-6, if_asleep = 3e-5, if_new = 2e-4;
/* What the calling thread runs before it asks again whether to share. */
static const double slice = 2e-5;
/* What the clock may not see. */
static const double tick = 1e-9;
/* What is so little that looking at the clock would take a good part of it. */
static const double little = 1e-6;
/* How long a thread looks out for more before it sleeps, as it takes tens of microseconds to wake. It sleeps at once where somebody
 * else wants its processor: to offer that takes longer then. Who is given it keeps it for milliseconds, so that it is not offered at
 * all while what is looked out for is expected soon: for as long as waking takes. */
static const double spin = 1e-3, undisturbed = 2e-5, soon = 3e-5;
/* What a range is expected to take at least, if that is no more than such a part of a share: some ten times what it takes to get
 * one. */
static const double finest = 1e-6, coarsest = 0.125;
/* Of what was run alone lately, counts as if it were still to be run: many small regions are worth workers too. */
static const double remembered = 0.125, worth_remembering = 5e-6;

/* Consecutive groups that one thread starts with, always the same one: what it left in its cache last time, and memory that it
 * touched first, are where it is. Who is done with his own takes from others. Above, the number of the job; below, the next
 * group: who comes late finds another number, and can do no harm. */
typedef struct share {
  _Alignas(CACHE_LINE) atomic_ullong next;
} share;

typedef struct job {
  pool_work *work;
  const void *arguments;
  long base; /* the first group; others are counted from there */
  unsigned groups, threads;
  unsigned least; /* groups of a range */
  bool watched;   /* workers tell when somebody else had their processor */
} job;

/* The job as all threads see it, under the same names. Each field is read before a range is taken, and counts only if that
 * then succeeds. */
static struct pool {
  _Atomic(pool_work *) work;
  _Atomic(const void *) arguments;
  atomic_long base;
  atomic_uint groups, least;
  atomic_uint threads;  /* the caller is one; 0: workers were not asked for yet */
  atomic_int processor; /* that the caller was on */
  atomic_bool roomy;    /* there is a processor for each thread */
  atomic_bool in_row;   /* there is, and the job came soon after the one before it */
  _Atomic(double) ended; /* when the last one did */
  atomic_bool taken;    /* by a caller */
  atomic_bool watched;
  atomic_llong stolen;  /* nanoseconds that a worker of the job had no processor, the most of all */
  _Alignas(CACHE_LINE) atomic_uint number; /* of the job; those who sleep wait for it to change */
  atomic_int asleep;
  _Alignas(CACHE_LINE) atomic_uint left; /* groups that nobody has run; a caller that sleeps waits for 0 */
  atomic_bool waiting;
  share shares[MAX_THREADS];
} pool;

/* Nanoseconds that were run alone since workers were last woken. */
static atomic_llong alone;

static _Thread_local bool inside; /* a job: what is called from there runs at once */

/* OpenMP knows whether its threads are at work. */
extern int omp_in_parallel(void) __attribute__((weak));

/* Between two looks at what is waited for. */
static void idle(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void sleep_while(atomic_uint *word, unsigned value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(atomic_uint *word, int count) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0); }

/* What is in `word` when it is no longer `seen`, or when it is time to sleep. Nobody else is offered the processor for `kept` seconds. */
static unsigned look_out(atomic_uint *word, unsigned seen, double kept) {
  for (double from = clock_seconds(), now = from, before = from; now < from + spin && now < before + undisturbed;) {
    for (unsigned i = 0; i < PATIENCE; i++, idle()) {
      unsigned value = atomic_load(word);
      if (value != seen) return value;
    }
    now = before = clock_seconds();
    if (now < from + kept) continue;
    sched_yield();
    now = clock_seconds();
  }
  return atomic_load(word);
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static unsigned long long numbered(unsigned number, unsigned group) { return (unsigned long long)number << 32 | group; }

/* Where a place's share begins; that of the place behind is where it ends. */
static unsigned share_start(const job *job, unsigned place) {
  return (unsigned)((unsigned long long)job->groups * place / job->threads);
}

static job current(void) {
  return (job){atomic_load(&pool.work), atomic_load(&pool.arguments), atomic_load(&pool.base), atomic_load(&pool.groups),
               atomic_load(&pool.threads), atomic_load(&pool.least), atomic_load(&pool.watched)};
}

/* Runs a part of what is left of a share; how many groups, 0 when nothing is left. */
static unsigned run_range(const job *job, unsigned number, unsigned place) {
  unsigned end = share_start(job, place + 1), count;
  unsigned long long next = atomic_load(&pool.shares[place].next);
  do {
    unsigned from = (unsigned)next;
    if (next >> 32 != number || from >= end) return 0;
    count = (end - from) / GREED > job->least ? (end - from) / GREED : job->least;
    if (count > end - from) count = end - from;
  } while (!atomic_compare_exchange_weak(&pool.shares[place].next, &next, next + count));
  long first = job->base + (long)(unsigned)next;
  job->work(job->arguments, first, first + (long)count);
  return count;
}

/* Runs what is left of job `number`, beginning with the share of `place`; how many groups that were. */
static unsigned run_shares(const job *job, unsigned number, unsigned place) {
  unsigned done = 0;
  for (unsigned i = 0; i < job->threads; i++) {
    unsigned victim = (place + i) % job->threads, ran;
    while ((ran = run_range(job, number, victim))) done += ran;
  }
  return done;
}

/* --- workers ------------------------------------------------------------------------------------------------------ */

static void wake_some(void) {
  if (atomic_load(&pool.asleep)) wake(&pool.number, WOKEN);
}

/* Waits until there is another job than number `seen`. */
static unsigned next_job(unsigned seen) {
  unsigned number = look_out(&pool.number, seen, atomic_load(&pool.in_row) ? soon : 0);
  if (number != seen) return number;
  atomic_fetch_add(&pool.asleep, 1);
  while ((number = atomic_load(&pool.number)) == seen) sleep_while(&pool.number, seen);
  atomic_fetch_sub(&pool.asleep, 1);
  if (atomic_load(&pool.left)) wake_some();
  return number;
}

/* Where a worker stands in its job. */
typedef struct standing {
  double seconds, own;
  interruptions befell;
} standing;

static standing stand(void) { return (standing){clock_seconds(), clock_own_seconds(), interruptions_so_far()}; }

/* A worker that slept by itself may have had no need for a processor. */
static void tell_stolen(const standing *before) {
  standing now = stand();
  if (now.befell.stops == before->befell.stops || now.befell.sleeps != before->befell.sleeps) return;
  long long stolen = (long long)(1e9 * ((now.seconds - before->seconds) - (now.own - before->own)));
  long long most = atomic_load(&pool.stolen);
  while (stolen > most && !atomic_compare_exchange_weak(&pool.stolen, &most, stolen)) continue;
}

static void *serve(void *place) {
  cpu_set_t allowed;
  inside = true;
  pthread_setname_np(pthread_self(), "accshare");
  if (processors_allowed(&allowed)) sched_setaffinity(0, sizeof allowed, &allowed);
  for (unsigned seen = 0;;) {
    seen = next_job(seen);
    ordering_receive(&pool.number);
    processors_leave(atomic_load(&pool.processor));
    job job = current();
    standing before = job.watched ? stand() : (standing){0};
    unsigned done = run_shares(&job, seen, (unsigned)(uintptr_t)place);
    if (!done) continue;
    if (job.watched) tell_stolen(&before);
    ordering_hand_on(&pool.left);
    if (atomic_fetch_sub(&pool.left, done) == done && atomic_load(&pool.waiting)) wake(&pool.left, 1);
  }
  return NULL;
}

/* The processor `steps` behind the caller's among those in `set`. */
static size_t processor_behind(const cpu_set_t *set, unsigned steps) {
  int here = sched_getcpu();
  size_t found = here > 0 ? (size_t)here : 0;
  while (steps) {
    found = (found + 1) % CPU_SETSIZE;
    steps -= CPU_ISSET(found, set) != 0;
  }
  return found;
}

/* Each worker begins on a processor of its own: beside a busy one it might not begin for milliseconds. */
static bool start_worker(unsigned place) {
  cpu_set_t allowed, first;
  pthread_attr_t attributes;
  pthread_t thread;
  size_t stack;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (!pthread_attr_getstacksize(&attributes, &stack) && stack < LEAST_STACK) {
    pthread_attr_setstacksize(&attributes, LEAST_STACK);
  }
  if (processors_allowed(&allowed)) {
    CPU_ZERO(&first);
    CPU_SET(processor_behind(&allowed, place), &first);
    pthread_attr_setaffinity_np(&attributes, sizeof first, &first);
  }
  sigset_t before;
  signals_block(&before);
  bool started = !pthread_create(&thread, &attributes, serve, (void *)(uintptr_t)place);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}

/* A child made by fork has none of its parent's workers, and whoever had taken the pool is not there either. */
static void in_child(void) { memset(&pool, 0, sizeof pool); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

static unsigned most_threads, all_threads;
static atomic_uint counted; /* all_threads once they are */

static void count_most(void) {
  const environment *given = env();
  most_threads = given->threads > 0          ? (unsigned)given->threads
                 : given->openmp_threads > 0 ? (unsigned)given->openmp_threads
                                             : processors_all();
  if (most_threads > MAX_THREADS) most_threads = MAX_THREADS;
}

unsigned pool_most(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, count_most);
  return most_threads;
}

/* Whether the user says how many. */
static bool is_told(void) { return env()->threads > 0 || env()->openmp_threads > 0; }

static void count_all(void) {
  all_threads = is_told() || pool_most() == 1 ? pool_most() : processors_limited(pool_most(), "");
}

unsigned pool_threads(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, count_all);
  atomic_store_explicit(&counted, all_threads, memory_order_relaxed);
  return all_threads;
}

unsigned pool_expected(void) {
  unsigned known = atomic_load_explicit(&counted, memory_order_relaxed);
  return known ? known : pool_most();
}

static _Thread_local double starting; /* seconds that this thread took to start workers */
static _Thread_local waits waited;    /* since it is watched */
static _Thread_local bool watching;

double pool_started(void) {
  double all = starting;
  starting = 0;
  return all;
}

void pool_watch(void) {
  waited = (waits){0};
  watching = true;
}

waits pool_watched(void) {
  watching = false;
  return waited;
}

/* One worker begins, which takes as long as to look up what control groups grant. Should they leave no processor for it, it sleeps. */
static void start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  double from = clock_seconds();
  pthread_once(&once, watch_forks);
  unsigned threads = 1;
  if (start_worker(threads)) threads++;
  unsigned most = pool_threads();
  while (threads < most && start_worker(threads)) threads++;
  if (threads > most) threads = most;
  atomic_store(&pool.roomy, !is_told() || threads <= processors_limited(processors_all(), ""));
  atomic_store(&pool.threads, threads);
  starting += clock_seconds() - from;
}

/* --- callers ------------------------------------------------------------------------------------------------------ */

/* Makes a job of the groups from `base` on. Who is late for the last one must find nothing to take before any of its fields
 * changes. */
static unsigned open_job(const job *job) {
  unsigned number = atomic_load(&pool.number) + 1;
  for (unsigned i = 0; i < job->threads; i++) {
    atomic_store_explicit(&pool.shares[i].next, numbered(number, UINT_MAX), memory_order_release);
  }
  atomic_store_explicit(&pool.work, job->work, memory_order_release);
  atomic_store_explicit(&pool.arguments, job->arguments, memory_order_release);
  atomic_store_explicit(&pool.base, job->base, memory_order_release);
  atomic_store_explicit(&pool.groups, job->groups, memory_order_release);
  atomic_store_explicit(&pool.least, job->least, memory_order_release);
  atomic_store_explicit(&pool.watched, job->watched, memory_order_release);
  atomic_store_explicit(&pool.stolen, 0, memory_order_release);
  atomic_store_explicit(&pool.processor, sched_getcpu(), memory_order_release);
  atomic_store_explicit(&pool.left, job->groups, memory_order_release);
  for (unsigned i = 0; i < job->threads; i++) {
    atomic_store_explicit(&pool.shares[i].next, numbered(number, share_start(job, i)), memory_order_release);
  }
  ordering_hand_on(&pool.number);
  atomic_store(&pool.number, number);
  return number;
}

static void wait_for_others(void) {
  double from = clock_seconds();
  for (unsigned left; (left = atomic_load(&pool.left));) {
    if (look_out(&pool.left, left, atomic_load(&pool.roomy) ? soon : 0) != left) continue;
    atomic_store(&pool.waiting, true);
    waited.sleeps++;
    sleep_while(&pool.left, left);
    atomic_store(&pool.waiting, false);
  }
  double seconds = clock_seconds() - from;
  waited.seconds += seconds;
  waited.stolen += lesser(seconds, 1e-9 * (double)atomic_load(&pool.stolen));
}

/* Whether all workers sleep, so that a job has to be worth waking them. */
static bool all_asleep(void) { return atomic_load(&pool.asleep) >= (int)atomic_load(&pool.threads) - 1; }

/* Whether groups that are expected to take `rest` seconds are worth sharing. */
static bool is_worth(double rest) {
  double with_lately = rest + 1e-9 * (double)atomic_load(&alone) * remembered;
  if (!atomic_load(&pool.threads)) return with_lately >= if_new;
  return all_asleep() ? with_lately >= if_asleep : rest >= if_awake;
}

static void note_alone(double took) {
  if (took >= worth_remembering) atomic_fetch_add(&alone, (long long)(1e9 * took));
}

static bool take_pool(void) { return !atomic_load(&pool.taken) && !atomic_exchange(&pool.taken, true); }

/* Runs groups, of which one is expected to take `pace` seconds, together with the workers; what one took on this thread, where
 * it ran any. */
static double run_together(pool_work *work, const void *arguments, long base, unsigned groups, double pace) {
  if (!atomic_load(&pool.threads)) start();
  unsigned threads = atomic_load(&pool.threads);
  unsigned least = 1 + (unsigned)lesser(finest / greater(pace, tick), coarsest * groups / threads);
  job job = {work, arguments, base, groups, threads, least, watching};
  unsigned number = open_job(&job);
  if (all_asleep() || pace * groups >= if_asleep) wake_some();
  atomic_store(&alone, 0);
  double from = clock_seconds();
  atomic_store(&pool.in_row, atomic_load(&pool.roomy) && from < atomic_load(&pool.ended) + soon);
  unsigned done = run_shares(&job, number, 0);
  if (done) pace = (clock_seconds() - from) / done;
  if (atomic_fetch_sub(&pool.left, done) != done) wait_for_others();
  ordering_receive(&pool.left);
  atomic_store(&pool.ended, clock_seconds());
  atomic_store(&pool.taken, false);
  return pace;
}

/* --- what a group takes ------------------------------------------------------------------------------------------- */

/* Seconds that a group of a kernel took last time. Two kernels that have the same place here only know less of themselves. */
static struct known {
  _Atomic(pool_work *) work;
  _Atomic(double) pace;
  atomic_uint launches; /* of little */
} known[KNOWN];

static struct known *place_of(pool_work *work) {
  uintptr_t address = (uintptr_t)work;
  return &known[(address >> 4 ^ address >> 12) % KNOWN];
}

static double pace_of(pool_work *work) {
  struct known *place = place_of(work);
  return atomic_load_explicit(&place->work, memory_order_relaxed) == work ? atomic_load(&place->pace) : 0;
}

static void remember(pool_work *work, double pace) {
  struct known *place = place_of(work);
  atomic_store_explicit(&place->pace, pace, memory_order_relaxed);
  atomic_store_explicit(&place->work, work, memory_order_relaxed);
}

/* Whether so many groups are known to be so little that they just run, but for one launch in some, which tells whether they still are. */
static bool is_little(pool_work *work, long groups) {
  struct known *place = place_of(work);
  double pace = pace_of(work);
  if (pace <= 0 || pace * (double)groups > little) return false;
  unsigned launches = atomic_load_explicit(&place->launches, memory_order_relaxed);
  atomic_store_explicit(&place->launches, launches + 1, memory_order_relaxed);
  return launches % UNSEEN != 0;
}

/* Groups to run alone before thinking again: a few, should this time be unlike the last, then what takes a slice. */
static long alone_count(long first, long groups, double pace) {
  long rest = groups - first, count = 1;
  if (pace > 0) count = slice / pace < (double)rest ? (long)(slice / pace) + 1 : rest;
  if (!first && count > groups / 8) count = groups / 8 + 1;
  return count < rest ? count : rest;
}

/* Runs groups on this thread from `*now` on, which becomes the time when they are done; seconds that one took. */
static double run_alone(pool_work *work, const void *arguments, long first, long count, double *now) {
  double from = *now;
  work(arguments, first, first + count);
  *now = clock_seconds();
  return greater(*now - from, tick) / (double)count;
}

/* Runs all groups; what is little, and what others have the workers for, on this thread. Two runs in a row must have been long
 * for the rest to be worth sharing: in one of them the thread may have waited for a processor. */
static void run(pool_work *work, const void *arguments, long groups) {
  double pace = pace_of(work), before = pace, least = pace, now = 0;
  long by_itself = 0;
  for (long first = 0, count; first < groups; first += count) {
    if (is_worth(lesser(pace, before) * (double)(groups - first)) && take_pool()) {
      count = groups - first < MOST_GROUPS ? groups - first : MOST_GROUPS;
      least = before = pace = run_together(work, arguments, first, (unsigned)count, pace);
      now = 0;
    } else {
      if (now <= 0) now = clock_seconds();
      count = alone_count(first, groups, greater(pace, before));
      before = pace;
      pace = run_alone(work, arguments, first, count, &now);
      least = by_itself ? lesser(least, pace) : pace;
      by_itself += count;
    }
  }
  note_alone(least * (double)by_itself);
  remember(work, least);
}

/* Whether there is nobody to share with, or no processor for him. */
static bool is_by_itself(void) {
  return inside || pool_most() == 1 || atomic_load(&pool.threads) == 1 || (omp_in_parallel && omp_in_parallel());
}

void __accshare_pool_run(pool_work *work, const void *arguments, long groups) {
  if (groups <= 0) return;
  if (groups == 1 || is_little(work, groups) || is_by_itself()) {
    work(arguments, 0, groups);
    return;
  }
  inside = true;
  run(work, arguments, groups);
  inside = false;
}
