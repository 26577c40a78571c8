/* To be preloaded before libOpenCL: FAIL_CALL=NAME makes that OpenCL function fail after FAIL_AFTER calls went well; builds wait
 * until somebody opens the pipe BUILD_WAITS; AS_GPU makes devices say that they are GPUs; with NARROW=N, kernels say that they have
 * groups of N work-items at most, as NVIDIA's do of 256. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fails(const char *name) {
  static int calls;
  const char *chosen = getenv("FAIL_CALL");
  if (!chosen || strcmp(chosen, name) != 0) return 0;
  const char *after = getenv("FAIL_AFTER");
  return calls++ >= (after ? atoi(after) : 0);
}

/* Buffers the program holds; COUNT_BUFFERS asks for their number at its end. */
static int live;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

enum { OUT_OF_MEMORY = -4, OUT_OF_RESOURCES = -5, BUILD_FAILURE = -11 };

void *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *host, int32_t *error) {
  if (fails("clCreateBuffer")) {
    *error = OUT_OF_MEMORY;
    return NULL;
  }
  void *(*call)(void *, uint64_t, size_t, void *, int32_t *);
  *(void **)&call = real("clCreateBuffer");
  live++;
  return call(context, flags, bytes, host, error);
}

int32_t clGetDeviceInfo(void *device, uint32_t what, size_t bytes, void *value, size_t *told) {
  enum { TYPE = 0x1000, GPU = 4 };
  int32_t (*call)(void *, uint32_t, size_t, void *, size_t *);
  *(void **)&call = real("clGetDeviceInfo");
  int32_t error = call(device, what, bytes, value, told);
  if (what == TYPE && getenv("AS_GPU") && value && !error) *(uint64_t *)value = GPU;
  return error;
}

int32_t clGetKernelWorkGroupInfo(void *kernel, void *device, uint32_t what, size_t bytes, void *value, size_t *told) {
  enum { WORK_GROUP_SIZE = 0x11B0 };
  int32_t (*call)(void *, void *, uint32_t, size_t, void *, size_t *);
  *(void **)&call = real("clGetKernelWorkGroupInfo");
  int32_t error = call(kernel, device, what, bytes, value, told);
  const char *narrow = getenv("NARROW");
  if (what == WORK_GROUP_SIZE && narrow && value && !error) *(size_t *)value = (size_t)atoi(narrow);
  return error;
}

void *clCreateProgramWithSource(void *context, uint32_t count, const char **sources, const size_t *lengths,
                                int32_t *error) {
  if (fails("clCreateProgramWithSource")) {
    *error = OUT_OF_RESOURCES;
    return NULL;
  }
  void *(*call)(void *, uint32_t, const char **, const size_t *, int32_t *);
  *(void **)&call = real("clCreateProgramWithSource");
  return call(context, count, sources, lengths, error);
}

int32_t clBuildProgram(void *program, uint32_t count, void *devices, const char *options, void *notify, void *data) {
  if (fails("clBuildProgram")) return BUILD_FAILURE;
  if (!strstr(options, "-cl-fp32-correctly-rounded-divide-sqrt") && fails("inexact build")) return BUILD_FAILURE;
  FILE *pipe = getenv("BUILD_WAITS") ? fopen(getenv("BUILD_WAITS"), "r") : NULL;
  if (pipe) fclose(pipe);
  int32_t (*call)(void *, uint32_t, void *, const char *, void *, void *);
  *(void **)&call = real("clBuildProgram");
  return call(program, count, devices, options, notify, data);
}

int32_t clEnqueueNDRangeKernel(void *queue, void *kernel, uint32_t dimensions, void *offset, void *global, void *local,
                               uint32_t count, void *waits, void *event) {
  if (fails("clEnqueueNDRangeKernel")) return OUT_OF_RESOURCES;
  int32_t (*call)(void *, void *, uint32_t, void *, void *, void *, uint32_t, void *, void *);
  *(void **)&call = real("clEnqueueNDRangeKernel");
  return call(queue, kernel, dimensions, offset, global, local, count, waits, event);
}

int32_t clEnqueueReadBuffer(void *queue, void *buffer, uint32_t wait, size_t offset, size_t bytes, void *host,
                            uint32_t count, void *waits, void *event) {
  if (fails("clEnqueueReadBuffer")) return OUT_OF_RESOURCES;
  int32_t (*call)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *);
  *(void **)&call = real("clEnqueueReadBuffer");
  return call(queue, buffer, wait, offset, bytes, host, count, waits, event);
}

int32_t clEnqueueWriteBuffer(void *queue, void *buffer, uint32_t wait, size_t offset, size_t bytes, void *host,
                             uint32_t count, void *waits, void *event) {
  if (fails("clEnqueueWriteBuffer")) return OUT_OF_RESOURCES;
  int32_t (*call)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *);
  *(void **)&call = real("clEnqueueWriteBuffer");
  return call(queue, buffer, wait, offset, bytes, host, count, waits, event);
}

int32_t clReleaseMemObject(void *buffer) {
  int32_t (*call)(void *);
  *(void **)&call = real("clReleaseMemObject");
  live--;
  return call(buffer);
}

__attribute__((destructor)) static void report(void) {
  if (getenv("COUNT_BUFFERS")) fprintf(stderr, "buffers left: %d\n", live);
}
