/* Finding OpenCL: the process itself, the ICD loader, then drivers that no .icd file names. */
#ifndef ACCSHARE_OPENCL_H
#define ACCSHARE_OPENCL_H

#include "opencl_min.h"

/* A platform, the entry points that serve it, and the library it came from. */
typedef struct opencl_platform {
  const opencl *cl;
  cl_platform_id id;
  const char *library;
} opencl_platform;

/* All platforms of the machine; `*count` of them. The array lives as long as the process. NULL when there is none. */
const opencl_platform *opencl_platforms(unsigned *count);

/* The name of an OpenCL status code. */
const char *opencl_error(cl_int code);

#endif
