#include "memory.h"

#include <stdint.h>
#include <string.h>

static cl_mem take(buffer_pool *pool, unsigned at) {
  cl_mem buffer = pool->slots[at].buffer;
  if (!pool->slots[at].host) pool->bytes -= pool->slots[at].bytes;
  pool->count--;
  for (unsigned i = at; i < pool->count; i++) pool->slots[i] = pool->slots[i + 1];
  return buffer;
}

/* The oldest comes first: a region that runs again finds each of several alike where it had it. */
static cl_mem take_from_pool(buffer_pool *pool, void *host, size_t bytes) {
  for (unsigned i = 0; i < pool->count; i++) {
    if (pool->slots[i].bytes == bytes && pool->slots[i].host == host) return take(pool, i);
  }
  return NULL;
}

static void release(memory *memory, cl_mem buffer) {
  memory->cl->ReleaseMemObject(buffer);
  memory->pool.released++;
}

static void keep(memory *memory, cl_mem buffer, void *host, size_t bytes) {
  buffer_pool *pool = &memory->pool;
  unsigned at = pool->count++;
  pool->slots[at].buffer = buffer;
  pool->slots[at].host = host;
  pool->slots[at].bytes = bytes;
  if (!host) pool->bytes += bytes;
}

void memory_drain(memory *memory) {
  while (memory->pool.count) release(memory, take(&memory->pool, 0));
}

/* The words that hold `bytes`: kernels change narrower numbers in one piece by changing the word they lie in. */
static size_t in_words(size_t bytes) {
  enum { WORD = 4 };
  return bytes > SIZE_MAX - WORD ? bytes : (bytes + WORD - 1) / WORD * WORD;
}

cl_mem memory_allocate(memory *memory, size_t bytes, cl_int *error) {
  *error = CL_SUCCESS;
  cl_mem buffer = take_from_pool(&memory->pool, NULL, bytes);
  if (buffer) return buffer;
  size_t size = in_words(bytes);
  buffer = memory->cl->CreateBuffer(memory->context, CL_MEM_READ_WRITE, size, NULL, error);
  if (*error && memory->pool.count) { /* the pool may be what is in the way */
    memory->cl->Finish(memory->queue);
    memory_drain(memory);
    buffer = memory->cl->CreateBuffer(memory->context, CL_MEM_READ_WRITE, size, NULL, error);
  }
  return *error ? NULL : buffer;
}

cl_mem memory_share(memory *memory, void *host, size_t bytes) {
  cl_mem kept = take_from_pool(&memory->pool, host, bytes);
  if (kept) return kept;
  cl_int error;
  cl_bitfield flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
  cl_mem buffer = memory->cl->CreateBuffer(memory->context, flags, bytes, host, &error);
  return error ? NULL : buffer;
}

void memory_free(memory *memory, cl_mem buffer, size_t bytes) {
  buffer_pool *pool = &memory->pool;
  size_t limit = memory->most;
  if (bytes > limit) {
    release(memory, buffer);
    return;
  }
  while (pool->count && (pool->count == POOL_SLOTS || pool->bytes + bytes > limit)) release(memory, take(pool, 0));
  keep(memory, buffer, NULL, bytes);
}

/* A buffer that is the host's memory and nothing else stands for an address, whatever lies there: regions that run again
 * and again have it again. */
void memory_unshare(memory *memory, cl_mem buffer, void *host, size_t bytes) {
  if (!memory->coherent) {
    release(memory, buffer);
    return;
  }
  if (memory->pool.count == POOL_SLOTS) release(memory, take(&memory->pool, 0));
  keep(memory, buffer, host, bytes);
}

bool memory_is_hosts(memory *memory) {
  enum { BYTES = 64 };
  static unsigned char area[2 * BYTES] __attribute__((aligned(BYTES)));
  const opencl *cl = memory->cl;
  unsigned char *bytes = area + 16; /* aligned as little as malloc does */
  unsigned char wanted[BYTES], found[BYTES];
  cl_mem buffer = memory_share(memory, bytes, BYTES);
  if (!buffer) return false;
  memset(wanted, 0x5a, BYTES);
  cl_int error = cl->EnqueueWriteBuffer(memory->queue, buffer, CL_TRUE, 0, BYTES, wanted, 0, NULL, NULL);
  bool seen = !error && !memcmp(bytes, wanted, BYTES);
  memset(bytes, 0xa5, BYTES);
  memset(wanted, 0xa5, BYTES);
  error = cl->EnqueueReadBuffer(memory->queue, buffer, CL_TRUE, 0, BYTES, found, 0, NULL, NULL);
  seen = seen && !error && !memcmp(found, wanted, BYTES);
  release(memory, buffer);
  return seen;
}
