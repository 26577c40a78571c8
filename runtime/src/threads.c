#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "signals.h"
#include "text.h"

/* Ends when the gate is opened. */
static void *wait_at(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

bool threads_can_start(unsigned count) {
  enum { STACK = 256 << 10 };
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *threads = allocate((count + 1) * sizeof *threads);
  pthread_attr_t attributes;
  sigset_t before;
  unsigned started = 0;
  int error = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_mutex_lock(&gate);
  signals_block(&before);
  while (started < count && !error) {
    error = pthread_create(&threads[started], &attributes, wait_at, &gate);
    if (!error) started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_mutex_unlock(&gate);
  for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
  pthread_attr_destroy(&attributes);
  free(threads);
  return error != EAGAIN;
}
