/* From a region's variants to kernels that can be launched. */
#ifndef ACCSHARE_PROGRAM_H
#define ACCSHARE_PROGRAM_H

#include <stdint.h>

#include "../include/accshare_abi.h"
#include "data.h"

enum { KEPT_ARGUMENT = 8 };

/* The arguments a kernel has, as far as they are small; `bytes` is 0 where one isn't known. */
typedef struct bound {
  struct {
    size_t bytes;
    unsigned char value[KEPT_ARGUMENT];
  } *args;
  unsigned count;
  unsigned long released; /* of the device's pool, when they were set */
} bound;

/* A region on one device. `failure` is why it can't run there; NULL: it can. */
typedef struct build {
  const device *device;
  char *failure;
  unsigned variant;
  cl_program program;
  cl_kernel *kernels;
  bound *bound; /* for each of these */
  struct build *next;
} build;

/* What the runtime keeps about a region: accshare_region.runtime. */
typedef struct region_state {
  record *record;
  build *builds;
  struct errand *errand; /* to build it in the background; NULL: there was none */
  int native;  /* the native variant that this processor can run, counted from 1; below 0: none; 0: not looked for */
  char *said; /* the last reason printed for running on the host */
  struct learned *sizes; /* what was measured of it */
  uint64_t key;          /* of these; 0: not computed */
  unsigned long paced;   /* bytes of its data when it was last known how its steps are faster; 0: never */
  int steps;             /* how (remember.h) */
} region_state;

region_state *program_state(accshare_region *region);

/* The native variant that runs the region on the calling thread's choice of a device, or -1. */
int program_native(accshare_region *region);

/* The build for `device`, made at the first call; look at its `failure`. */
const build *program_build(accshare_region *region, device *device);

/* Whether it can ever run on `device`; NULL: on any device that there may be. Where it has native kernels, a device of another
 * kind than its other kernels are made for is none. */
bool program_suits(accshare_region *region, const device *device);
/* Whether `device` can run it without opening or building anything. */
bool program_is_ready(accshare_region *region, device *device);
/* Has the calling thread's device opened, and the region built for it, in the background; again and again is once. */
void program_request(accshare_region *region);

/* Does what accshare_prebuild says. */
int program_prebuild(accshare_region *region);

/* clSetKernelArg, left out where the kernel has that argument already. `value` NULL: a null pointer for a buffer. */
cl_int program_set(const build *build, unsigned kernel, cl_uint at, size_t bytes, const void *value);

#endif
