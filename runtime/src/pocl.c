#include "pocl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static const char devices_variable[] = "POCL_DEVICES", wanted_devices[] = "POCL_DEVICES=pthread basic";

/* Which PoCLs are known to run kernels of one device in several threads at once; they have no devices but the two. */
static bool is_known(const opencl_platform *platform) {
  char version[256] = "";
  platform->cl->GetPlatformInfo(platform->id, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL);
  return strstr(version, "PoCL 3.") && !strstr(version, "CUDA");
}

static bool is_hand(const opencl *cl, cl_device_id id) {
  char name[256] = "";
  cl->GetDeviceInfo(id, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
  return !strncmp(name, "basic", strlen("basic"));
}

static cl_int every_device(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count) {
  static const cl_bitfield every_type = 0xFFFFFFFF;
  cl_int error = platform->cl->GetDeviceIDs(platform->id, every_type, most, ids, count);
  if (!error && *count > most) *count = most;
  return error;
}

/* PoCL has only the devices that its environment variable names. The environment is exchanged for the moment in which it
 * looks, rather than changed: other threads may be reading it, and children are not to inherit that. */
static cl_int with_hand(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count) {
  extern char **environ;
  char **before = environ;
  size_t length = 0;
  while (before && before[length]) length++;
  char **lent = allocate((length + 2) * sizeof *lent); /* never freed: somebody may still be reading */
  memcpy(lent, before, length * sizeof *lent);
  lent[length] = (char *)wanted_devices;
  lent[length + 1] = NULL;
  environ = lent;
  cl_int error = every_device(platform, most, ids, count);
  if (environ == lent) {
    environ = before;
  } else {
    unsetenv(devices_variable);
  }
  return error;
}

cl_int pocl_devices(const opencl_platform *platform, cl_uint most, cl_device_id *ids, cl_uint *count,
                    cl_device_id *hand) {
  *hand = NULL;
  *count = 0;
  if (getenv(devices_variable) || !is_known(platform)) return every_device(platform, most, ids, count);
  cl_int error = with_hand(platform, most, ids, count);
  for (cl_uint i = 0; !error && i < *count; i++) {
    if (!is_hand(platform->cl, ids[i])) continue;
    *hand = ids[i];
    memmove(&ids[i], &ids[i + 1], (--*count - i) * sizeof *ids);
  }
  return error;
}
