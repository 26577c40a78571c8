#include "memory.h"

#include "device.h"

static cl_mem take_from_pool(buffer_pool *pool, size_t bytes) {
  for (unsigned i = pool->count; i-- > 0;) {
    if (pool->slots[i].bytes != bytes) continue;
    cl_mem buffer = pool->slots[i].buffer;
    for (unsigned j = i + 1; j < pool->count; j++) pool->slots[j - 1] = pool->slots[j];
    pool->count--;
    pool->bytes -= bytes;
    return buffer;
  }
  return NULL;
}

static void drop_oldest(device *device) {
  buffer_pool *pool = &device->pool;
  device->cl->ReleaseMemObject(pool->slots[0].buffer);
  pool->bytes -= pool->slots[0].bytes;
  for (unsigned j = 1; j < pool->count; j++) pool->slots[j - 1] = pool->slots[j];
  pool->count--;
}

void memory_drain(device *device) {
  while (device->pool.count) drop_oldest(device);
}

cl_mem memory_allocate(device *device, size_t bytes, cl_int *error) {
  *error = CL_SUCCESS;
  cl_mem buffer = take_from_pool(&device->pool, bytes);
  if (buffer) return buffer;
  buffer = device->cl->CreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, error);
  if (*error && device->pool.count) { /* the pool may be what is in the way */
    device->cl->Finish(device->queue);
    memory_drain(device);
    buffer = device->cl->CreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, error);
  }
  return *error ? NULL : buffer;
}

cl_mem memory_share(device *device, void *host, size_t bytes) {
  cl_int error;
  cl_bitfield flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
  cl_mem buffer = device->cl->CreateBuffer(device->context, flags, bytes, host, &error);
  return error ? NULL : buffer;
}

void memory_free(device *device, cl_mem buffer, size_t bytes) {
  buffer_pool *pool = &device->pool;
  size_t limit = (size_t)(device->global_bytes / 8);
  if (bytes > limit) {
    device->cl->ReleaseMemObject(buffer);
    return;
  }
  while (pool->count && (pool->count == POOL_SLOTS || pool->bytes + bytes > limit)) drop_oldest(device);
  pool->slots[pool->count].buffer = buffer;
  pool->slots[pool->count++].bytes = bytes;
  pool->bytes += bytes;
}

void memory_unshare(device *device, cl_mem buffer) { device->cl->ReleaseMemObject(buffer); }
