#include "lock.h"

#include <pthread.h>
#include <stdlib.h>

#include "device.h"
#include "place.h"
#include "profile.h"
#include "roomy.h"
#include "session.h"
#include "sizes.h"

/* Recursive: an error inside the runtime ends the program, and the report at exit takes the lock again. */
static pthread_mutex_t mutex;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The calling thread has the lock already where an error ends the program while another thread works for the holder. */
static void report_at_exit(void) {
  if (!roomy_here()) lock_take();
  profile_report();
  sizes_report();
  if (!roomy_here()) lock_give();
}

/* Behind all handlers of the program. What another thread still uses stays. */
__attribute__((destructor)) static void leave(void) {
  if (pthread_mutex_trylock(&mutex)) return;
  if (!session_open()) {
    device_close("the program ends");
    place_leave();
  }
  pthread_mutex_unlock(&mutex);
}

static void make_mutex(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

/* The forking thread holds the lock, but in the child it goes by another id: it can only be made anew. */
static void in_child(void) {
  make_mutex();
  device_close("a process made by fork can't use its parent's device");
  sizes_forked();
}

static void prepare(void) {
  make_mutex();
  pthread_atfork(lock_take, lock_give, in_child);
  atexit(report_at_exit);
}

void lock_take(void) {
  pthread_once(&once, prepare);
  pthread_mutex_lock(&mutex);
}

void lock_give(void) { pthread_mutex_unlock(&mutex); }

void lock_wait(void) { pthread_cond_wait(&changed, &mutex); }

void lock_wake(void) { pthread_cond_broadcast(&changed); }
