#include "progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "signals.h"

static const double patience = 1; /* seconds */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over; /* on the clock that only goes forward */
static bool building, said;
static double spent, begun; /* seconds: by earlier builds, and when this one began */
static bool watched;
static pthread_t watcher;

static void *watch(void *device) {
  double until = begun + patience - spent;
  struct timespec time = {(time_t)until, (long)(1e9 * (until - (double)(time_t)until))};
  pthread_mutex_lock(&mutex);
  while (building && clock_seconds() < until) pthread_cond_timedwait(&over, &mutex, &time);
  said = building;
  if (said) warn("building kernels for %s; later runs find them in the cache", (const char *)device);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void make_condition(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&over, &attributes);
  pthread_condattr_destroy(&attributes);
}

void progress_begin(const char *device) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  sigset_t before;
  if (said || !isatty(STDERR_FILENO)) return;
  pthread_once(&once, make_condition);
  building = true;
  begun = clock_seconds();
  signals_block(&before);
  watched = !pthread_create(&watcher, NULL, watch, (void *)device);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(void) {
  if (!watched) return;
  pthread_mutex_lock(&mutex);
  building = false;
  pthread_cond_signal(&over);
  pthread_mutex_unlock(&mutex);
  pthread_join(watcher, NULL);
  watched = false;
  spent += clock_seconds() - begun;
}
