/* interrupted CASE: the caller waits 5 ms for a worker, which has no processor meanwhile, sleeps or works; prints what of that the pool
 * says was stolen, in ms. Time is the program's own, so that nothing else counts. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pool.h"

enum { SECOND = 1000000000, LOOK = 20, GROUP = 1000000, WAIT = 5 * GROUP, SURELY = 20 };

static atomic_long nanoseconds, looks; /* of the caller, since it has nothing left to run */
static atomic_bool begun, done;
static _Thread_local bool is_caller;
static _Thread_local long stolen, stops, sleeps;
static const char *what;

/* In place of the C library's, for the pool too. */
int clock_gettime(clockid_t clock, struct timespec *time) {
  long now = atomic_fetch_add(&nanoseconds, LOOK) - (clock == CLOCK_THREAD_CPUTIME_ID ? stolen : 0);
  if (is_caller && atomic_load(&done)) atomic_fetch_add(&looks, 1);
  *time = (struct timespec){now / SECOND, now % SECOND};
  return 0;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
  (void)who;
  memset(usage, 0, sizeof *usage);
  usage->ru_nivcsw = stops;
  usage->ru_nvcsw = sleeps;
  return 0;
}

/* The caller has run what is its own when the worker is held up, and waits. */
static void held_up(void) {
  atomic_store(&begun, true);
  while (atomic_load(&looks) < SURELY) sched_yield();
  atomic_fetch_add(&nanoseconds, WAIT);
  if (!strcmp(what, "worked")) return;
  stolen += WAIT;
  stops++;
  sleeps += !strcmp(what, "slept");
}

static void work(const void *last_group, long first, long last) {
  for (long group = first; group < last; group++) {
    if (!is_caller) {
      held_up();
      continue;
    }
    atomic_fetch_add(&nanoseconds, GROUP);
    if (group < *(const long *)last_group - 1) continue; /* nothing is shared yet */
    while (!atomic_load(&begun)) sched_yield();
    atomic_store(&done, true);
  }
}

int main(int argc, char **argv) {
  static const long last = 3; /* two groups tell that it is worth sharing the others */
  if (argc < 2) return 2;
  what = argv[1];
  is_caller = true;
  pool_watch();
  __accshare_pool_run(work, &last, last + 1);
  waits waited = pool_watched();
  printf("waited=%.0f stolen=%.0f\n", 1e3 * waited.seconds, 1e3 * waited.stolen);
  return 0;
}
