/* background: many threads have work done behind them. Prints how much was done, and how many handlers for the end of the
 * process were registered. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "background.h"

enum { THREADS = 8, TIMES = 3 };

static atomic_int done, handlers;

int __cxa_atexit(void (*handler)(void *), void *argument, void *library) {
  int (*real)(void (*)(void *), void *, void *) = dlsym(RTLD_NEXT, "__cxa_atexit");
  handlers++;
  return real(handler, argument, library);
}

static void count(void *unused) {
  (void)unused;
  done++;
}

static void *ask(void *unused) {
  for (int i = 0; i < TIMES; i++) {
    if (!background_do(count, NULL)) return NULL;
  }
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, ask, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  ask(NULL);
  while (done < (THREADS + 1) * TIMES) sched_yield();
  printf("done=%d handlers=%d\n", done, handlers);
  return 0;
}
