/* The threads that run native kernels: the program's own and some workers (docs/threads.md). */
#ifndef ACCSHARE_POOL_H
#define ACCSHARE_POOL_H

/* Runs work-groups first to last - 1. */
typedef void pool_work(const void *arguments, long first, long last);

/* Runs work-groups 0 to groups - 1 of `work`, in ranges, on the calling thread and on workers; returns when all have run. Who
 * runs what, and in which order, must not matter. Any thread may call it, also from within a `work`. */
void __accshare_pool_run(pool_work *work, const void *arguments, long groups);

/* How many threads that makes, the calling one included, if all can be started. What control groups grant is looked up for that. */
unsigned pool_threads(void);
/* How many it may be at most, as far as the processors tell, which is known at once. */
unsigned pool_most(void);
/* As many as `pool_threads` said, if anybody has asked it; else as many as there may be at most. */
unsigned pool_expected(void);

/* Seconds that the calling thread took to start workers, since it last asked. */
double pool_started(void);

/* What a thread waited for workers: seconds, those of them in which a worker that it waited for had no processor, and how often at
 * most it slept. */
typedef struct waits {
  double seconds, stolen;
  long sleeps;
} waits;

/* From now on that is counted for the calling thread; until it asks. */
void pool_watch(void);
waits pool_watched(void);

#endif
