/* PoCL's devices. */
#ifndef ACCSHARE_POCL_H
#define ACCSHARE_POCL_H

#include <stdbool.h>

#include "opencl.h"

/* Whether a platform that tells this version is PoCL. */
bool is_pocl_version(const char *version);

/* Why a PoCL of that version would end the process if it were to build a kernel now; NULL where nothing is known. */
const char *pocl_cannot_build(const char *version);

/* The devices of a platform, like clGetDeviceIDs, at most `most`. */
cl_int pocl_devices(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count);

#endif
