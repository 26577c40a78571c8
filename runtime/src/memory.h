/* Device memory: buffers, and a pool of those just freed, since a region in a loop asks for the same sizes again. */
#ifndef ACCSHARE_MEMORY_H
#define ACCSHARE_MEMORY_H

#include <stddef.h>

#include "opencl_min.h"

enum { POOL_SLOTS = 16 };

typedef struct buffer_pool {
  struct {
    cl_mem buffer;
    size_t bytes;
  } slots[POOL_SLOTS];
  unsigned count;
  size_t bytes;
} buffer_pool;

struct device;

/* A buffer of `bytes`; NULL, and `*error` says why. */
cl_mem memory_allocate(struct device *device, size_t bytes, cl_int *error);
/* A buffer that is the host's memory at `host`; NULL when the device can't have it. */
cl_mem memory_share(struct device *device, void *host, size_t bytes);
void memory_free(struct device *device, cl_mem buffer, size_t bytes);
/* For buffers of memory_share. */
void memory_unshare(struct device *device, cl_mem buffer);
/* Gives the pool's buffers back to the driver. */
void memory_drain(struct device *device);

#endif
