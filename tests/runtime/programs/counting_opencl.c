/* To be preloaded before libOpenCL: prints at the end how often each function was called that prepares a launch or moves
 * data. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static int buffers, releases, arguments, maps, unmaps, writes, reads;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

void *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *host, int32_t *error) {
  void *(*call)(void *, uint64_t, size_t, void *, int32_t *);
  *(void **)&call = real("clCreateBuffer");
  buffers++;
  return call(context, flags, bytes, host, error);
}

int32_t clReleaseMemObject(void *buffer) {
  int32_t (*call)(void *);
  *(void **)&call = real("clReleaseMemObject");
  releases++;
  return call(buffer);
}

int32_t clSetKernelArg(void *kernel, uint32_t index, size_t bytes, const void *value) {
  int32_t (*call)(void *, uint32_t, size_t, const void *);
  *(void **)&call = real("clSetKernelArg");
  arguments++;
  return call(kernel, index, bytes, value);
}

void *clEnqueueMapBuffer(void *queue, void *buffer, uint32_t blocking, uint64_t flags, size_t offset, size_t bytes,
                         uint32_t count, void *waits, void *event, int32_t *error) {
  void *(*call)(void *, void *, uint32_t, uint64_t, size_t, size_t, uint32_t, void *, void *, int32_t *);
  *(void **)&call = real("clEnqueueMapBuffer");
  maps++;
  return call(queue, buffer, blocking, flags, offset, bytes, count, waits, event, error);
}

int32_t clEnqueueUnmapMemObject(void *queue, void *buffer, void *mapped, uint32_t count, void *waits, void *event) {
  int32_t (*call)(void *, void *, void *, uint32_t, void *, void *);
  *(void **)&call = real("clEnqueueUnmapMemObject");
  unmaps++;
  return call(queue, buffer, mapped, count, waits, event);
}

int32_t clEnqueueWriteBuffer(void *queue, void *buffer, uint32_t blocking, size_t offset, size_t bytes, const void *host,
                             uint32_t count, void *waits, void *event) {
  int32_t (*call)(void *, void *, uint32_t, size_t, size_t, const void *, uint32_t, void *, void *);
  *(void **)&call = real("clEnqueueWriteBuffer");
  writes++;
  return call(queue, buffer, blocking, offset, bytes, host, count, waits, event);
}

int32_t clEnqueueReadBuffer(void *queue, void *buffer, uint32_t blocking, size_t offset, size_t bytes, void *host,
                            uint32_t count, void *waits, void *event) {
  int32_t (*call)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *);
  *(void **)&call = real("clEnqueueReadBuffer");
  reads++;
  return call(queue, buffer, blocking, offset, bytes, host, count, waits, event);
}

static void __attribute__((destructor)) end(void) {
  fprintf(stderr, "buffers=%d releases=%d arguments=%d maps=%d unmaps=%d writes=%d reads=%d\n", buffers, releases,
          arguments, maps, unmaps, writes, reads);
}
