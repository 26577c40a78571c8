/* PoCL's devices. */
#ifndef ACCSHARE_POCL_H
#define ACCSHARE_POCL_H

#include "opencl.h"

/* The devices of a platform, like clGetDeviceIDs, at most `most`; and of a PoCL that is known one more, `*hand`, which is
 * the CPU again, but runs kernels in the thread that queues them. NULL where there is none. */
cl_int pocl_devices(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count, cl_device_id *hand);

#endif
