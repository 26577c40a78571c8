/* Device memory: buffers, and a pool of those just freed, since a region in a loop asks for the same sizes again. */
#ifndef ACCSHARE_MEMORY_H
#define ACCSHARE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "opencl.h"

enum { POOL_SLOTS = 16 };

/* Buffers that nothing uses at the moment, the oldest first. */
typedef struct buffer_pool {
  struct {
    cl_mem buffer;
    size_t bytes;
    void *host; /* whose memory the buffer is; NULL: its own */
  } slots[POOL_SLOTS];
  unsigned count;
  size_t bytes;           /* of device memory in it */
  unsigned long released; /* buffers given back to the driver: their names may come again */
} buffer_pool;

/* The memory of an open device. */
typedef struct memory {
  const opencl *cl;
  cl_context context;
  cl_command_queue queue;
  size_t most;   /* bytes that the pool may keep */
  bool coherent; /* buffers on the host's memory are that memory, with no copy in between */
  buffer_pool pool;
} memory;

/* A buffer of `bytes`; NULL, and `*error` says why. */
cl_mem memory_allocate(memory *memory, size_t bytes, cl_int *error);
/* A buffer that is the host's memory at `host`; NULL when the device can't have it. */
cl_mem memory_share(memory *memory, void *host, size_t bytes);
void memory_free(memory *memory, cl_mem buffer, size_t bytes);
/* For buffers of memory_share. */
void memory_unshare(memory *memory, cl_mem buffer, void *host, size_t bytes);
/* Whether the device and the host see each other's writes to the host's memory when a command is over, with nothing
 * mapped: tried out once. */
bool memory_is_hosts(memory *memory);
/* Gives the pool's buffers back to the driver. */
void memory_drain(memory *memory);

#endif
