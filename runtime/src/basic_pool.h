/* Kernels of a CPU in the program's own thread and a few more, instead of the OpenCL implementation's threads.
 *
 * Handing a kernel to threads that sleep, and sleeping until they are done, takes tens of microseconds. PoCL has a
 * second device that runs what is queued at once, in the thread that queues it. The pool shares a launch out: each of
 * its threads queues pieces of the grid there. Who is asleep is not waited for.
 */
#ifndef ACCSHARE_BASIC_POOL_H
#define ACCSHARE_BASIC_POOL_H

#include <stdbool.h>

#include "opencl.h"

typedef struct basic_pool basic_pool;

/* A pool of the calling thread and others: as many as ACCSHARE_THREADS says, or as there are compute units that this
 * process may use; NULL when there can be none. */
basic_pool *basic_pool_make(const opencl *cl, cl_context context, cl_device_id basic, cl_uint units);

/* How many threads it has. */
unsigned basic_pool_size(const basic_pool *pool);

/* What stands before the source of a kernel that the pool runs. It takes, after its own arguments, the number of its piece's
 * first work-group, groups counted row after row, and how many of them the grid has along each dimension. */
extern const char basic_pool_prologue[];

/* Runs a kernel, of which each thread has its own in `kernels`, on a grid of `groups` work-groups of one work-item. All
 * arguments are set but the one with number `piece`. Returns when all is done. `*pace` is how many groups a second a thread
 * ran last time, 0 at first. `*begun` says whether any group may have run, also when it fails. */
cl_int basic_pool_run(basic_pool *pool, const cl_kernel *kernels, cl_uint piece, long groups, double *pace, bool *begun);

#endif
