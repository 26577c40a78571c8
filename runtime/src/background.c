#include "background.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "signals.h"
#include "text.h"

enum { STACK = 16 << 20, NICE = 5 };

typedef struct task {
  void (*work)(void *);
  void *argument;
  struct task *next;
} task;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static task *first;
static bool running, stopped;
static __thread bool here;

bool background_here(void) { return here; }

void background_yield(void) {
  if (here) setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
}

bool background_ends(void) {
  pthread_mutex_lock(&mutex);
  bool ends = stopped;
  pthread_mutex_unlock(&mutex);
  return ends;
}

static void *serve(void *unused) {
  here = true;
  pthread_setname_np(pthread_self(), "accshare-build");
  pthread_mutex_lock(&mutex);
  while (first && !stopped) {
    task *now = first;
    first = now->next;
    pthread_mutex_unlock(&mutex);
    now->work(now->argument);
    free(now);
    pthread_mutex_lock(&mutex);
  }
  running = false;
  pthread_cond_broadcast(&idle);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static bool start(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t before;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK);
  signals_block(&before);
  bool started = !pthread_create(&thread, &attributes, serve, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}

/* Destructors of thread-local data are what `exit` calls first, before those of libraries that were loaded, or first used,
 * after any handler of ours was registered. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *) __attribute__((weak));
extern void *__dso_handle;

static void first_thread_ends(void *unused) {
  (void)unused;
  background_stop();
}

static void stop_at_exit(void) { atexit(background_stop); }

static void watch_end(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static bool watched; /* by the first thread, which alone looks */
  pthread_once(&once, stop_at_exit);
  if (getpid() != gettid() || watched) return;
  watched = true;
  if (__cxa_thread_atexit_impl) __cxa_thread_atexit_impl(first_thread_ends, NULL, &__dso_handle);
}

bool background_do(void (*work)(void *), void *argument) {
  watch_end();
  pthread_mutex_lock(&mutex);
  bool can = !stopped && (running || (running = start()));
  if (can) {
    task *made = allocate(sizeof *made);
    *made = (task){work, argument, NULL};
    task **last = &first;
    while (*last) last = &(*last)->next;
    *last = made;
  }
  pthread_mutex_unlock(&mutex);
  return can;
}

void background_stop(void) {
  if (here) return;
  pthread_mutex_lock(&mutex);
  stopped = true;
  while (running) pthread_cond_wait(&idle, &mutex);
  pthread_mutex_unlock(&mutex);
}

void background_forked(void) {
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&idle, NULL);
  first = NULL;
  running = false;
  stopped = true;
}
