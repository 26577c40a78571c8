/* The part of OpenCL 1.2 the runtime uses, declared here so that it builds where no OpenCL headers are installed. */
#ifndef ACCSHARE_OPENCL_MIN_H
#define ACCSHARE_OPENCL_MIN_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef int64_t cl_long;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef struct cl_platform *cl_platform_id;
typedef struct cl_device *cl_device_id;
typedef struct cl_context_object *cl_context;
typedef struct cl_queue_object *cl_command_queue;
typedef struct cl_mem_object *cl_mem;
typedef struct cl_program_object *cl_program;
typedef struct cl_kernel_object *cl_kernel;
typedef struct cl_event_object *cl_event;

enum {
  CL_SUCCESS = 0,
  CL_DEVICE_NOT_FOUND = -1,
  CL_OUT_OF_HOST_MEMORY = -6,
  CL_INVALID_GLOBAL_WORK_SIZE = -63,
  CL_FALSE = 0,
  CL_TRUE = 1,

  CL_PLATFORM_VERSION = 0x0901,
  CL_PLATFORM_NAME = 0x0902,

  CL_DEVICE_TYPE = 0x1000,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT = 0x100A,
  CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
  CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 0x101D,
  CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E,
  CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  CL_DEVICE_LOCAL_MEM_TYPE = 0x1022,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_AVAILABLE = 0x1027,
  CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
  CL_DEVICE_NAME = 0x102B,
  CL_DEVICE_VENDOR = 0x102C,
  CL_DRIVER_VERSION = 0x102D,
  CL_DEVICE_VERSION = 0x102F,
  CL_DEVICE_EXTENSIONS = 0x1030,
  CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
  CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
  CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A,

  /* cl_nv_device_attribute_query */
  CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000,
  CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001,
  CL_DEVICE_REGISTERS_PER_BLOCK_NV = 0x4002,
  CL_DEVICE_WARP_SIZE_NV = 0x4003,

  /* cl_amd_device_attribute_query */
  CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043,
  CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD = 0x4047,
  CL_DEVICE_LOCAL_MEM_BANKS_AMD = 0x4048,
  CL_DEVICE_GFXIP_MAJOR_AMD = 0x404A,

  /* cl_intel_device_attribute_query */
  CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL = 0x4254,
  CL_DEVICE_NUM_THREADS_PER_EU_INTEL = 0x4255,

  CL_DEVICE_TYPE_CPU = 1 << 1,
  CL_DEVICE_TYPE_GPU = 1 << 2,
  CL_LOCAL = 1,
  CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,

  CL_CONTEXT_PLATFORM = 0x1084,
  CL_QUEUE_PROFILING_ENABLE = 1 << 1,

  CL_MEM_READ_WRITE = 1 << 0,
  CL_MEM_USE_HOST_PTR = 1 << 3,
  CL_MAP_READ = 1 << 0,

  CL_PROGRAM_BINARY_SIZES = 0x1165,
  CL_PROGRAM_BINARIES = 0x1166,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
  CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,

  CL_PROFILING_COMMAND_START = 0x1282,
  CL_PROFILING_COMMAND_END = 0x1283
};

/* X(result, name, slot in a driver's dispatch table (cl_khr_icd), parameters) */
#define CL_FUNCTIONS(X)                                                                                               \
  X(cl_int, GetPlatformIDs, 0, (cl_uint, cl_platform_id *, cl_uint *))                                                \
  X(cl_int, GetPlatformInfo, 1, (cl_platform_id, cl_uint, size_t, void *, size_t *))                                  \
  X(cl_int, GetDeviceIDs, 2, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))                       \
  X(cl_int, GetDeviceInfo, 3, (cl_device_id, cl_uint, size_t, void *, size_t *))                                      \
  X(cl_context, CreateContext, 4,                                                                                     \
    (const intptr_t *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, size_t, void *), void *,   \
     cl_int *))                                                                                                       \
  X(cl_int, ReleaseContext, 7, (cl_context))                                                                          \
  X(cl_command_queue, CreateCommandQueue, 9, (cl_context, cl_device_id, cl_bitfield, cl_int *))                       \
  X(cl_mem, CreateBuffer, 14, (cl_context, cl_bitfield, size_t, void *, cl_int *))                                    \
  X(cl_int, ReleaseMemObject, 18, (cl_mem))                                                                           \
  X(cl_program, CreateProgramWithSource, 26, (cl_context, cl_uint, const char **, const size_t *, cl_int *))          \
  X(cl_program, CreateProgramWithBinary, 27,                                                                          \
    (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *))          \
  X(cl_int, ReleaseProgram, 29, (cl_program))                                                                         \
  X(cl_int, BuildProgram, 30,                                                                                         \
    (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *))                  \
  X(cl_int, GetProgramInfo, 32, (cl_program, cl_uint, size_t, void *, size_t *))                                      \
  X(cl_int, GetProgramBuildInfo, 33, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))                   \
  X(cl_kernel, CreateKernel, 34, (cl_program, const char *, cl_int *))                                                \
  X(cl_int, ReleaseKernel, 37, (cl_kernel))                                                                           \
  X(cl_int, SetKernelArg, 38, (cl_kernel, cl_uint, size_t, const void *))                                             \
  X(cl_int, GetKernelWorkGroupInfo, 40, (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))                 \
  X(cl_int, ReleaseEvent, 44, (cl_event))                                                                             \
  X(cl_int, GetEventProfilingInfo, 45, (cl_event, cl_uint, size_t, void *, size_t *))                                 \
  X(cl_int, Finish, 47, (cl_command_queue))                                                                           \
  X(cl_int, EnqueueReadBuffer, 48,                                                                                    \
    (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *))               \
  X(cl_int, EnqueueWriteBuffer, 49,                                                                                   \
    (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *))         \
  X(cl_int, EnqueueCopyBuffer, 50,                                                                                    \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *))                \
  X(void *, EnqueueMapBuffer, 56,                                                                                     \
    (cl_command_queue, cl_mem, cl_bool, cl_bitfield, size_t, size_t, cl_uint, const cl_event *, cl_event *,           \
     cl_int *))                                                                                                       \
  X(cl_int, EnqueueUnmapMemObject, 58, (cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *))     \
  X(cl_int, EnqueueNDRangeKernel, 59,                                                                                 \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, \
     cl_event *))

/* The entry points of one library or driver. */
typedef struct opencl {
#define DECLARE(result, name, slot, parameters) result(*name) parameters;
  CL_FUNCTIONS(DECLARE)
#undef DECLARE
} opencl;

#endif
