/* What becomes of the runtime when the process forks or ends. */
#include <pthread.h>
#include <stdlib.h>

#include "background.h"
#include "device.h"
#include "learn.h"
#include "lock.h"
#include "place.h"
#include "profile.h"
#include "roomy.h"
#include "session.h"
#include "sizes.h"

/* The calling thread has the lock already where an error ends the program while another thread works for the holder. */
static void report_at_exit(void) {
  if (!roomy_here()) lock_take();
  profile_report();
  sizes_report();
  learn_store();
  if (!roomy_here()) lock_give();
}

/* A driver forks to start a compiler: the holder of the lock may be waiting for that. */
static void before_fork(void) {
  if (!background_here()) lock_take();
}

static void after_fork(void) {
  if (!background_here()) lock_give();
}

static void in_child(void) {
  lock_renew();
  background_forked();
  device_close("a process made by fork can't use its parent's device");
  sizes_forked();
}

static void prepare(void) { atexit(report_at_exit); }

__attribute__((constructor)) static void enter(void) {
  lock_first = prepare;
  pthread_atfork(before_fork, after_fork, in_child);
}

/* Behind all handlers of the program. What another thread still uses stays. */
__attribute__((destructor)) static void leave(void) {
  background_stop();
  if (!lock_try()) return;
  if (!session_open()) {
    device_close("the program ends");
    place_leave();
  }
  lock_give();
}
