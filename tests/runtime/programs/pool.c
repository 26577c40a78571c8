/* pool CASE: the thread pool as native kernels use it; prints what a test looks at. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void pool_work(const void *arguments, long first, long last);
#ifdef PLUGIN /* the program is linked without the pool, which only its plugin needs */
#define __accshare_pool_run(work, arguments, groups) work(arguments, 0, groups)
#else
void __accshare_pool_run(pool_work *work, const void *arguments, long groups);
#endif

enum { MOST = 5000, CALLERS = 4 };

/* A region: group i adds i + 1 to its own element, which takes it `effort` steps. */
typedef struct region {
  long *sums;
  long effort;
} region;

static void add(const void *arguments, long first, long last) {
  const region *region = arguments;
  for (long i = first; i < last; i++) {
    long value = i + 1;
    for (volatile long step = 0; step < region->effort; step++) continue;
    region->sums[i] += value;
  }
}

static int wrong(const long *sums, long groups, long times) {
  int found = 0;
  for (long i = 0; i < groups; i++) found += sums[i] != times * (i + 1);
  return found;
}

/* Runs it `times` times; how many elements are wrong. */
static int run(long groups, long effort, long times) {
  long *sums = calloc((size_t)groups + 1, sizeof *sums);
  const region region = {sums, effort};
  for (long t = 0; t < times; t++) __accshare_pool_run(add, &region, groups);
  int found = wrong(sums, groups, times) + (sums[groups] != 0);
  free(sums);
  return found;
}

/* So much that it takes some milliseconds, which is worth threads on any machine. */
static int run_much(void) { return run(MOST, 2000, 1); }

static int count_threads(void) {
  int found = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *each = readdir(tasks); each; each = readdir(tasks)) found += *each->d_name != '.';
  closedir(tasks);
  return found;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static int sizes(void) {
  static const long groups[] = {0, 1, 2, 3, 7, 63, 64, 65, 1000, 4999};
  static const long efforts[] = {0, 10, 1000};
  int found = 0;
  for (unsigned e = 0; e < sizeof efforts / sizeof *efforts; e++) {
    for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++) found += run(groups[g], efforts[e], 5);
  }
  return found;
}

static long counted;

static void count(const void *arguments, long first, long last) {
  (void)arguments;
  __atomic_fetch_add(&counted, last - first, __ATOMIC_RELAXED);
}

/* More groups than 32 bits can count. */
static int huge(void) {
  int found = run_much();
  __accshare_pool_run(count, NULL, 5000000000L);
  return found + (counted != 5000000000L);
}

static void uneven(const void *arguments, long first, long last) {
  const region *whole = arguments;
  for (long i = first; i < last; i++) {
    const region one = {whole->sums, i < 40 ? 100000 : 10};
    add(&one, i, i + 1);
  }
}

/* Nearly all the work is in a few groups of the first share. */
static int lopsided(void) {
  static long sums[MOST];
  const region region = {sums, 0};
  for (int t = 0; t < 3; t++) __accshare_pool_run(uneven, &region, MOST);
  return wrong(sums, MOST, 3);
}

static void nest(const void *arguments, long first, long last) {
  long (*rows)[100] = *(long (*const *)[100])arguments;
  for (long i = first; i < last; i++) {
    const region inner = {rows[i], 500};
    __accshare_pool_run(add, &inner, 100);
  }
}

static int nested(void) {
  static long rows[200][100];
  long (*const at)[100] = rows;
  int found = 0;
  __accshare_pool_run(nest, &at, 200);
  for (int i = 0; i < 200; i++) found += wrong(rows[i], 100, 1);
  return found;
}

static void *call(void *found) {
  for (int t = 0; t < 20; t++) *(int *)found += run(700, 300, 3);
  return NULL;
}

static int callers(void) {
  pthread_t threads[CALLERS];
  int found[CALLERS] = {0}, sum = 0;
  for (int i = 0; i < CALLERS; i++) pthread_create(&threads[i], NULL, call, &found[i]);
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(threads[i], NULL);
    sum += found[i];
  }
  return sum;
}

#ifdef _OPENMP
static int openmp(void) {
  int found = run_much();
#pragma omp parallel for reduction(+ : found)
  for (int i = 0; i < 40; i++) found += run(300, 300, 2);
  return found + run_much();
}
#endif

/* A child has no workers of its parent's, and starts its own; so has its child. */
static int children(int depth) {
  int found = run_much(), before = count_threads(), status;
  pid_t child = fork();
  if (!child) {
    int left = count_threads();
    found = left != 1;
    found += run_much() + (count_threads() != before) + (depth > 1 ? children(depth - 1) : 0);
    exit(found ? 1 : 0);
  }
  waitpid(child, &status, 0);
  return found + run_much() + (status != 0);
}

static void *keep_calling(void *stop) {
  static int found;
  while (!atomic_load((atomic_bool *)stop)) found += run(700, 300, 1);
  return &found;
}

/* Children that are made while another thread has the workers. */
static int busy_fork(void) {
  atomic_bool stop = false;
  int found = 0, status;
  void *other;
  pthread_t thread;
  pthread_create(&thread, NULL, keep_calling, &stop);
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    if (!child) _exit(run(1000, 1000, 1) ? 1 : 0);
    waitpid(child, &status, 0);
    found += status != 0;
  }
  atomic_store(&stop, true);
  pthread_join(thread, &other);
  return found + *(int *)other;
}

static int bind_to(int processors) {
  cpu_set_t allowed, some;
  CPU_ZERO(&some);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < processors; i++) {
    if (CPU_ISSET((size_t)i, &allowed)) CPU_SET((size_t)i, &some);
  }
  return sched_setaffinity(0, sizeof some, &some);
}

static atomic_int handled_elsewhere;
static pthread_t program_thread;

static void handle(int signal) {
  (void)signal;
  if (!pthread_equal(pthread_self(), program_thread)) atomic_fetch_add(&handled_elsewhere, 1);
}

/* Signals of the process come to the thread of the program, also while that has them blocked. */
static int signals(void) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  program_thread = pthread_self();
  signal(SIGUSR1, handle);
  int found = run_much();
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  kill(getpid(), SIGUSR1);
  found += run_much();
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  return found + handled_elsewhere;
}

#ifdef PLUGIN
/* A library that needs the pool is loaded, used and unloaded, time and again. */
static int unloaded(const char *path) {
  int found = 0;
  for (int i = 0; i < 3; i++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return puts(dlerror()), 1;
    int (*much)(void);
    void *symbol = dlsym(library, "plugin_much");
    memcpy(&much, &symbol, sizeof symbol);
    found += much();
    dlclose(library);
  }
  return found;
}
#endif

int plugin_much(void) { return run_much() + (count_threads() < 2); }

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  int found = 0;
  if (!strcmp(name, "sizes")) found = sizes();
  if (!strcmp(name, "huge")) found = huge();
  if (!strcmp(name, "lopsided")) found = lopsided();
  if (!strcmp(name, "nested")) found = nested();
  if (!strcmp(name, "callers")) found = callers();
  if (!strcmp(name, "fork")) found = children(2);
  if (!strcmp(name, "busy fork")) found = busy_fork();
  if (!strcmp(name, "signals")) found = signals();
  if (!strcmp(name, "tiny")) found = run(30, 1, 2000);
  if (!strcmp(name, "grown")) found = run(100, 1, 50) + run(100, 20000, 14);
  if (!strcmp(name, "much")) found = run_much();
  if (!strcmp(name, "bound")) found = bind_to(1) || run_much();
#ifdef _OPENMP
  if (!strcmp(name, "openmp")) found = openmp();
#endif
#ifdef PLUGIN
  if (!strcmp(name, "unloaded")) found = unloaded(argv[2]);
#endif
  printf("wrong=%d threads=%d\n", found, count_threads());
  return 0;
}
