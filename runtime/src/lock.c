#include "lock.h"

#include <pthread.h>

/* Recursive: an error inside the runtime ends the program, and the report at exit takes the lock again. */
static pthread_mutex_t mutex;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void (*lock_first)(void);

void lock_renew(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

static void prepare(void) {
  lock_renew();
  lock_first();
}

void lock_take(void) {
  pthread_once(&once, prepare);
  pthread_mutex_lock(&mutex);
}

void lock_give(void) { pthread_mutex_unlock(&mutex); }

bool lock_try(void) { return !pthread_mutex_trylock(&mutex); }

void lock_wait(void) { pthread_cond_wait(&changed, &mutex); }

void lock_wake(void) { pthread_cond_broadcast(&changed); }
