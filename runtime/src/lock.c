#include "lock.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/* Recursive: an error inside the runtime ends the program, and the report at exit takes the lock again. */
static pthread_mutex_t mutex;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool prepared;

void (*lock_first)(void);

/* What the program knows of its own errors is not the runtime's to change. */
static __thread int depth, kept;

static void keep(void) {
  if (!depth++) kept = errno;
}

static void make(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

void lock_renew(void) {
  depth = 0;
  make();
}

static void prepare(void) {
  make();
  lock_first();
  atomic_store(&prepared, true);
}

void lock_take(void) {
  keep();
  if (!atomic_load_explicit(&prepared, memory_order_acquire)) pthread_once(&once, prepare);
  pthread_mutex_lock(&mutex);
}

void lock_give(void) {
  pthread_mutex_unlock(&mutex);
  if (!--depth) errno = kept;
}

bool lock_try(void) {
  if (pthread_mutex_trylock(&mutex)) return false;
  keep();
  return true;
}

void lock_wait(void) { pthread_cond_wait(&changed, &mutex); }

void lock_wake(void) { pthread_cond_broadcast(&changed); }
