/* Devices: finding them, describing them, and which one the calling thread uses. */
#ifndef ACCSHARE_DEVICE_H
#define ACCSHARE_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../include/openacc.h"
#include "memory.h"
#include "opencl.h"
#include "present.h"

typedef struct device {
  const opencl *cl;
  cl_platform_id platform;
  cl_device_id id;
  const char *library; /* that OpenCL came from */
  char *name;
  char *vendor;
  char *driver;
  char *version;
  char *platform_name;
  char *platform_version;
  cl_bitfield type;
  acc_device_t vendor_type; /* nvidia, radeon, or gpu, cpu */
  cl_uint compute_units;
  cl_uint vector_float; /* preferred vector width for float */
  cl_uint cacheline_bytes;
  cl_ulong cache_bytes;
  cl_ulong global_bytes;
  cl_ulong local_bytes;
  size_t max_work_group;
  bool local_dedicated;
  bool fp64, atomics64;
  bool divides_exactly; /* can round quotients and roots of float correctly, as the host does */
  bool unified;   /* shares its memory with the host */
  bool builds_in_place; /* writes what it builds to our place */
  bool debugger;  /* oclgrind: it needs to see sources and transfers */
  bool zero_copy; /* buffers are made on the host's memory */
  double moving; /* what transfers took, by what they were expected to; 0: nobody has seen one */
  double launch_seconds; /* what regions with one launch take; 0: there was none */

  atomic_bool open; /* what follows is there */
  cl_context context;
  cl_command_queue queue;
  cl_int open_error;
  memory memory;
  bool entered; /* it is in use: data are present on it, or could be */
  present_table present;
} device;

/* Called when a device has been opened, which has nothing present; never NULL (declared.c). */
extern void (*device_entered)(device *device);

/* "cpu" or "gpu", as in accshare_variant.kind. */
const char *device_kind(const device *device);

/* Devices of `type`, the preferred one first; `*count` of them. The array belongs to the calling thread until its next
 * call. */
device *const *devices_of_type(acc_device_t type, unsigned *count);

/* The device of the calling thread, in use from now on; NULL: run on the host, and `*reason` says why. */
device *device_current(const char **reason);
/* The same device if it is known by now; nothing is opened, nor waited for. `*unknown`: nobody has looked for devices yet. */
device *device_known(bool *unknown);
/* Opens it; false when that can't be done. Any thread may call this, with the lock or without. */
bool device_open(device *device);
/* Whether there may be a GPU, as far as that can be told without asking OpenCL, which takes milliseconds to load. */
bool device_gpu_likely(void);
/* The device that the calling thread's data are present on; NULL: the host's memory, where native kernels run and nothing
 * asked for a device yet. */
device *device_of_data(const char **reason);
/* Whether the user wants everything to run on a device, and there may be a better one than the processor: data go there when
 * directives say so. */
bool device_is_forced(void);
/* Whether any device is of that type. */
bool device_any(acc_device_t type);
/* Whether native kernels of the program run where that type is chosen. */
bool device_is_native(acc_device_t type);
/* Says that the program has native kernels. */
void device_own_kernels(void);
/* Why nothing but host loops may run, whatever there is to run on; NULL: other things may. */
const char *device_refused(void);
/* The devices in use, by number; NULL behind the last one. */
device *device_opened(unsigned number);
/* Whether there could be one, as far as the environment and the program's own choice tell. */
bool device_wanted(void);
/* Whether any device was ever opened. */
bool device_in_use(void);

/* Whether no device holds data, and the calling thread chose none. */
bool device_at_home(void);

/* Whether the program itself, not the environment, chose the host (acc_set_device_type). */
bool device_host_by_wish(void);

/* The calling thread's choice (acc_set_device_type, acc_set_device_num). */
void device_choose(acc_device_t type, int num);
acc_device_t device_chosen_type(void);
int device_chosen_num(void);

/* All devices as a JSON array; the caller frees it. */
char *device_list_json(void);

/* OpenCL can't be used any more, for the reason `why`: in a child made by fork, and when the program ends. */
void device_close(const char *why);

#endif
