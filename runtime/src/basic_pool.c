#include "basic_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "env.h"
#include "processors.h"
#include "text.h"

enum {
  MAX_THREADS = 256,
  CACHE_LINE = 64,
  FINEST = 64,     /* of a share: a piece is no less than this part of it */
  LARGEST = 32768, /* work-groups of a piece */
  PATIENCE = 64    /* looks between two at the clock, or at who else is waiting */
};

/* Seconds that a thread looks out for more work before it sleeps, and that a piece takes at least, as far as can be told:
 * each costs 1 or 2 us, and the cache is colder after it. */
static const double spin = 5e-4, worth = 1e-4;

/* Pieces are rows along the last dimension of a launch, whatever the grid's shape: PoCL 3 keeps several builds of a
 * kernel, by the width of its launches along the others and by whether they begin at 0, and mixes these up when they run
 * at the same time. What it builds for small launches has less than 65536 groups. */
const char basic_pool_prologue[] =
    "#define ACCSHARE_PIECE , ulong __first, uint __groups_0, uint __groups_1, uint __groups_2\n"
    "#define get_num_groups(d) ((size_t)((d) == 0 ? __groups_0 : (d) == 1 ? __groups_1 : __groups_2))\n"
    "#define __group (__first + get_global_id(2))\n"
    "#define get_group_id(d) ((d) == 0 ? __group % __groups_0 : "
    "(d) == 1 ? __group / __groups_0 % __groups_1 : __group / __groups_0 / __groups_1)\n";

/* Consecutive groups of the grid that one thread starts with, so that it finds in its cache what it left there last time.
 * Who is done with his own takes from others. */
typedef struct share {
  _Alignas(CACHE_LINE) atomic_long next;
  long end;
} share;

typedef struct job {
  const cl_kernel *kernels;
  cl_uint piece;    /* the argument that says where a piece begins */
  long least;       /* groups of a piece */
  atomic_long left; /* groups that nobody has run */
  atomic_int error;
  atomic_bool begun;
} job;

struct basic_pool {
  const opencl *cl;
  unsigned threads; /* the caller is one */
  cl_command_queue queues[MAX_THREADS];
  share shares[MAX_THREADS];
  job job;
  _Alignas(CACHE_LINE) atomic_ulong number; /* of the job */
  atomic_bool open;                         /* whether it may be joined */
  atomic_int inside;                        /* others that look at it */
  atomic_int asleep;
  atomic_int processor;                     /* that the caller was on when it opened the job */
  pthread_mutex_t mutex;
  pthread_cond_t wakeup;
};

typedef struct worker {
  basic_pool *pool;
  unsigned place;
  cpu_set_t allowed; /* where it may run, once it has begun */
} worker;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Between two looks at what is waited for, the `look`th of them: lets others have the processor now and then. */
static void idle(unsigned long look) {
  if (look % PATIENCE == PATIENCE - 1) sched_yield();
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static cl_int run_piece(basic_pool *pool, unsigned place, long from, long to) {
  static const size_t one[] = {1, 1, 1};
  const opencl *cl = pool->cl;
  cl_kernel kernel = pool->job.kernels[place];
  cl_command_queue queue = pool->queues[place];
  cl_ulong first = (cl_ulong)from;
  size_t count[] = {1, 1, (size_t)(to - from)};
  cl_int error = cl->SetKernelArg(kernel, pool->job.piece, sizeof first, &first);
  if (error) return error;
  atomic_store_explicit(&pool->job.begun, true, memory_order_relaxed);
  error = cl->EnqueueNDRangeKernel(queue, kernel, 3, NULL, count, one, 0, NULL, NULL);
  return error ? error : cl->Finish(queue);
}

/* The groups of a piece, given `least` and the groups run a second. */
static long at_least(long least, double pace) {
  double worthwhile = pace * worth < LARGEST ? pace * worth : LARGEST;
  return worthwhile > (double)least ? (long)worthwhile : least;
}

/* Runs half of what is left of a share, but no less than `*least` groups, which becomes how many are worth a piece, as
 * `*pace` becomes the groups run a second; false when nothing is left. */
static bool take(basic_pool *pool, share *share, unsigned place, long *least, double *pace) {
  job *job = &pool->job;
  long from = atomic_load(&share->next), count;
  do {
    long rest = share->end - from;
    if (rest <= 0) return false;
    count = rest / 2 > *least ? rest / 2 : *least;
    if (count > rest) count = rest;
    if (count > LARGEST) count = LARGEST;
  } while (!atomic_compare_exchange_weak(&share->next, &from, from + count));
  double start = seconds();
  cl_int error = run_piece(pool, place, from, from + count);
  if (error) atomic_store(&job->error, error);
  atomic_fetch_sub(&job->left, count);
  *pace = (double)count / (seconds() - start);
  *least = at_least(*least, *pace);
  return true;
}

static double take_all(basic_pool *pool, unsigned place) {
  long least = pool->job.least;
  double pace = 0;
  for (unsigned i = 0; i < pool->threads; i++) {
    share *share = &pool->shares[(place + i) % pool->threads];
    while (take(pool, share, place, &least, &pace)) continue;
  }
  return pace;
}

/* --- the other threads -------------------------------------------------------------------------------------------- */

/* Waits until there is another job than number `seen`. */
static unsigned long next_job(basic_pool *pool, unsigned long seen) {
  unsigned long number = seen;
  for (double until = seconds() + spin; number == seen && seconds() < until;) {
    for (unsigned long i = 0; i < PATIENCE && number == seen; i++, number = atomic_load(&pool->number)) idle(i);
  }
  if (number != seen) return number;
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->asleep, 1);
  while ((number = atomic_load(&pool->number)) == seen) pthread_cond_wait(&pool->wakeup, &pool->mutex);
  atomic_fetch_sub(&pool->asleep, 1);
  pthread_mutex_unlock(&pool->mutex);
  return number;
}

static void *serve(void *argument) {
  worker worker = *(struct worker *)argument;
  free(argument);
  basic_pool *pool = worker.pool;
  sched_setaffinity(0, sizeof worker.allowed, &worker.allowed);
  for (unsigned long seen = 0;;) {
    seen = next_job(pool, seen);
    processors_leave(atomic_load(&pool->processor));
    atomic_fetch_add(&pool->inside, 1);
    if (atomic_load(&pool->open)) take_all(pool, worker.place);
    atomic_fetch_sub(&pool->inside, 1);
  }
  return NULL;
}

static void wake(basic_pool *pool) {
  if (!atomic_load(&pool->asleep)) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wakeup);
  pthread_mutex_unlock(&pool->mutex);
}

/* --- the caller --------------------------------------------------------------------------------------------------- */

static void share_out(basic_pool *pool, long groups, double pace) {
  long threads = (long)pool->threads;
  atomic_store(&pool->job.left, groups);
  pool->job.least = at_least(groups / threads / FINEST + 1, pace);
  for (long i = 0; i < threads; i++) {
    atomic_store(&pool->shares[i].next, (long)((cl_long)groups * i / threads));
    pool->shares[i].end = (long)((cl_long)groups * (i + 1) / threads);
  }
}

cl_int basic_pool_run(basic_pool *pool, const cl_kernel *kernels, cl_uint piece, long groups, double *pace, bool *begun) {
  job *job = &pool->job;
  for (unsigned long i = 0; atomic_load(&pool->inside); i++) idle(i); /* who came too late for the last job */
  job->kernels = kernels;
  job->piece = piece;
  atomic_store(&job->error, CL_SUCCESS);
  atomic_store(&job->begun, false);
  share_out(pool, groups, *pace);
  if (groups == 1 || pool->threads == 1) {
    *pace = take_all(pool, 0);
  } else {
    atomic_store(&pool->processor, sched_getcpu());
    atomic_store(&pool->open, true);
    atomic_fetch_add(&pool->number, 1);
    wake(pool);
    *pace = take_all(pool, 0);
    for (unsigned long i = 0; atomic_load(&job->left); i++) idle(i);
    atomic_store(&pool->open, false);
  }
  *begun = atomic_load(&job->begun);
  return atomic_load(&job->error);
}

unsigned basic_pool_size(const basic_pool *pool) { return pool->threads; }

/* --- making one --------------------------------------------------------------------------------------------------- */

static unsigned thread_count(cl_uint units) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  int processors = sched_getaffinity(0, sizeof allowed, &allowed) ? (int)units : CPU_COUNT(&allowed);
  unsigned count = processors < (int)units ? (unsigned)processors : units;
  if (env()->threads >= 0) count = (unsigned)env()->threads;
  return count < MAX_THREADS ? count : MAX_THREADS;
}

/* The processor `steps` behind the caller's among those in `set`. */
static size_t processor_behind(const cpu_set_t *set, unsigned steps) {
  size_t found = (size_t)sched_getcpu();
  for (unsigned left = CPU_COUNT(set) ? steps : 0; left; left -= CPU_ISSET(found, set) != 0) {
    found = (found + 1) % CPU_SETSIZE;
  }
  return found;
}

/* Each thread begins on a processor of its own: beside a busy one it might not begin for milliseconds. Signals are for the
 * program's threads. */
static bool start(basic_pool *pool, unsigned place) {
  worker *worker = allocate(sizeof *worker);
  worker->pool = pool;
  worker->place = place;
  sched_getaffinity(0, sizeof worker->allowed, &worker->allowed);
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(processor_behind(&worker->allowed, place), &first);
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setaffinity_np(&attributes, sizeof first, &first);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool started = !pthread_create(&thread, &attributes, serve, worker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!started) free(worker);
  return started;
}

basic_pool *basic_pool_make(const opencl *cl, cl_context context, cl_device_id basic, cl_uint units) {
  unsigned wanted = thread_count(units);
  if (!wanted) return NULL;
  void *memory;
  if (posix_memalign(&memory, CACHE_LINE, sizeof(basic_pool))) return NULL;
  basic_pool *made = memset(memory, 0, sizeof *made);
  made->cl = cl;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->wakeup, NULL);
  for (; made->threads < wanted; made->threads++) {
    cl_int error;
    made->queues[made->threads] = cl->CreateCommandQueue(context, basic, 0, &error);
    if (error) break;
  }
  if (!made->threads) return NULL;
  unsigned started = 1;
  while (started < made->threads && start(made, started)) started++;
  made->threads = started;
  return made;
}
