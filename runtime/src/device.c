#include "device.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cpu.h"
#include "env.h"
#include "library.h"
#include "message.h"
#include "ordering.h"
#include "pocl.h"
#include "roomy.h"
#include "text.h"

enum { MAX_DEVICES = 64 };

static device *all[MAX_DEVICES]; /* the preferred one first */
static unsigned all_count;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; /* of who looks for devices or opens one */
static atomic_bool searched;
static const char *closed; /* why no device can be used any more: this is a child made by fork, or it ends; NULL: they can */
static bool in_use; /* a device was opened: before that, none can hold data */
static bool lost;   /* when they were closed, one held data newer than the host's */
static __thread struct choice {
  bool made;
  acc_device_t type;
  int num;
} choice;

static char *device_text(const opencl *cl, cl_device_id id, cl_uint what) {
  size_t bytes = 0;
  if (cl->GetDeviceInfo(id, what, 0, NULL, &bytes) != CL_SUCCESS) bytes = 0;
  char *text = allocate(bytes + 1);
  if (bytes && cl->GetDeviceInfo(id, what, bytes, text, NULL) != CL_SUCCESS) *text = '\0';
  return text;
}

static char *platform_text(const opencl *cl, cl_platform_id id, cl_uint what) {
  size_t bytes = 0;
  if (cl->GetPlatformInfo(id, what, 0, NULL, &bytes) != CL_SUCCESS) bytes = 0;
  char *text = allocate(bytes + 1);
  if (bytes && cl->GetPlatformInfo(id, what, bytes, text, NULL) != CL_SUCCESS) *text = '\0';
  return text;
}

/* A property that is a cl_uint, cl_ulong, cl_bool or size_t; 0 when the driver doesn't tell. */
static cl_ulong device_number(const opencl *cl, cl_device_id id, cl_uint what) {
  union {
    cl_uint small;
    cl_ulong large;
  } value = {.large = 0};
  size_t bytes = 0;
  if (cl->GetDeviceInfo(id, what, sizeof value, &value, &bytes) != CL_SUCCESS) return 0;
  return bytes == sizeof value.small ? value.small : value.large;
}

static acc_device_t vendor_type(const device *device) {
  if (!(device->type & CL_DEVICE_TYPE_GPU)) return acc_device_cpu;
  if (strstr(device->vendor, "NVIDIA")) return acc_device_nvidia;
  if (strstr(device->vendor, "Advanced Micro Devices") || strstr(device->vendor, "AMD")) return acc_device_radeon;
  return acc_device_gpu;
}

static device *describe(const opencl_platform *platform, cl_device_id id) {
  const opencl *cl = platform->cl;
  device *made = allocate(sizeof *made);
  made->cl = cl;
  made->platform = platform->id;
  made->id = id;
  made->library = platform->library;
  made->name = device_text(cl, id, CL_DEVICE_NAME);
  made->vendor = device_text(cl, id, CL_DEVICE_VENDOR);
  made->driver = device_text(cl, id, CL_DRIVER_VERSION);
  made->version = device_text(cl, id, CL_DEVICE_VERSION);
  made->platform_name = platform_text(cl, platform->id, CL_PLATFORM_NAME);
  made->platform_version = platform_text(cl, platform->id, CL_PLATFORM_VERSION);
  made->type = device_number(cl, id, CL_DEVICE_TYPE);
  made->vendor_type = vendor_type(made);
  made->compute_units = (cl_uint)device_number(cl, id, CL_DEVICE_MAX_COMPUTE_UNITS);
  made->vector_float = (cl_uint)device_number(cl, id, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT);
  made->cacheline_bytes = (cl_uint)device_number(cl, id, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
  made->cache_bytes = device_number(cl, id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  made->global_bytes = device_number(cl, id, CL_DEVICE_GLOBAL_MEM_SIZE);
  made->local_bytes = device_number(cl, id, CL_DEVICE_LOCAL_MEM_SIZE);
  made->max_work_group = (size_t)device_number(cl, id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  made->local_dedicated = device_number(cl, id, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  made->divides_exactly = device_number(cl, id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  made->fp64 = device_number(cl, id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  char *extensions = device_text(cl, id, CL_DEVICE_EXTENSIONS);
  made->atomics64 = extensions && strstr(extensions, "cl_khr_int64_base_atomics");
  free(extensions);
  made->builds_in_place = strstr(made->platform_version, "PoCL") != NULL;
  made->unified = (made->type & CL_DEVICE_TYPE_CPU) || device_number(cl, id, CL_DEVICE_HOST_UNIFIED_MEMORY);
  made->debugger = !strcmp(made->platform_name, "Oclgrind");
  made->zero_copy = made->unified && env()->zero_copy && !made->debugger;
  return made;
}

/* Lower is preferred: GPUs with their own memory, other GPUs, accelerators, CPUs. */
static int rank(const device *device) {
  if (device->type & CL_DEVICE_TYPE_GPU) return device->unified ? 1 : 0;
  return device->type & CL_DEVICE_TYPE_CPU ? 3 : 2;
}

static void add(device *device) {
  unsigned at = all_count++;
  for (; at > 0 && rank(all[at - 1]) > rank(device); at--) all[at] = all[at - 1];
  all[at] = device;
}

static void find_devices(void *unused) {
  (void)unused;
  unsigned platform_count;
  const opencl_platform *platforms = opencl_platforms(&platform_count);
  for (unsigned p = 0; p < platform_count; p++) {
    const opencl *cl = platforms[p].cl;
    cl_device_id ids[MAX_DEVICES];
    cl_uint count;
    if (pocl_devices(&platforms[p], MAX_DEVICES, ids, &count) != CL_SUCCESS) continue;
    for (cl_uint i = 0; i < count && all_count < MAX_DEVICES; i++) {
      bool usable = device_number(cl, ids[i], CL_DEVICE_AVAILABLE) &&
                    device_number(cl, ids[i], CL_DEVICE_COMPILER_AVAILABLE);
      if (usable) add(describe(&platforms[p], ids[i]));
    }
  }
}

const char *device_kind(const device *device) { return device->type & CL_DEVICE_TYPE_GPU ? "gpu" : "cpu"; }

static bool is_of_type(const device *device, acc_device_t type) {
  switch (type) {
    case acc_device_default:
    case acc_device_not_host:
    case acc_device_opencl:
      return true;
    case acc_device_gpu:
      return (device->type & CL_DEVICE_TYPE_GPU) != 0;
    case acc_device_cpu:
      return (device->type & CL_DEVICE_TYPE_CPU) != 0;
    case acc_device_nvidia:
    case acc_device_radeon:
      return device->vendor_type == type;
    default:
      return false;
  }
}

static void search(void) {
  pthread_mutex_lock(&opening);
  if (!ordering_raised(&searched)) roomy_call(find_devices, NULL);
  ordering_raise(&searched);
  pthread_mutex_unlock(&opening);
}

/* Whether the machine has a GPU's driver, or the program OpenCL. Asked while it is loaded, as the first region would wait for it. */
static bool may_have_gpu;

__attribute__((constructor)) static void look_for_drivers(void) {
  static const char *const nodes[] = {"/dev/nvidiactl", "/dev/kfd",   "/dev/dri/renderD128",
                                      "/dev/dxg",       "/dev/mali0", "/dev/kgsl-3d0"};
  int error = errno;
  may_have_gpu = library_symbol(NULL, "clGetPlatformIDs") != NULL;
  for (unsigned i = 0; i < sizeof nodes / sizeof *nodes && !may_have_gpu; i++) may_have_gpu = access(nodes[i], F_OK) == 0;
  errno = error;
}

bool device_gpu_likely(void) {
  static const char *const steering[] = {"ACCSHARE_OPENCL", "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"};
  static int likely = -1;
  if (likely >= 0) return likely;
  likely = may_have_gpu;
  for (unsigned i = 0; i < sizeof steering / sizeof *steering && !likely; i++) likely = setting(steering[i]) != NULL;
  return likely;
}

device *const *devices_of_type(acc_device_t type, unsigned *count) {
  static __thread device *chosen[MAX_DEVICES];
  *count = 0;
  if (closed || env()->offload == OFFLOAD_DISABLED) return chosen;
  if (!ordering_raised(&searched)) search();
  for (unsigned i = 0; i < all_count; i++) {
    if (is_of_type(all[i], type)) chosen[(*count)++] = all[i];
  }
  return chosen;
}

void (*device_entered)(device *device);

static void open_device(void *argument) {
  device *device = argument;
  const opencl *cl = device->cl;
  const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)device->platform, 0};
  device->context = cl->CreateContext(properties, 1, &device->id, NULL, NULL, &device->open_error);
  if (device->open_error) return;
  cl_bitfield flags = env()->profile ? CL_QUEUE_PROFILING_ENABLE : 0;
  device->queue = cl->CreateCommandQueue(device->context, device->id, flags, &device->open_error);
  if (device->open_error) return;
  size_t most = (size_t)(device->global_bytes / 8);
  device->memory = (memory){.cl = cl, .context = device->context, .queue = device->queue, .most = most};
  device->memory.coherent = device->zero_copy && (device->type & CL_DEVICE_TYPE_CPU) && memory_is_hosts(&device->memory);
}

bool device_open(device *device) {
  if (ordering_raised(&device->open)) return true;
  pthread_mutex_lock(&opening);
  if (!device->queue && !device->open_error) roomy_call(open_device, device);
  if (!device->open_error) ordering_raise(&device->open);
  pthread_mutex_unlock(&opening);
  return !device->open_error;
}

static void enter(device *device) {
  if (device->entered) return;
  device->entered = in_use = true;
  device_entered(device);
}

device *device_opened(unsigned number) {
  for (unsigned i = 0; in_use && i < all_count; i++) {
    if (all[i]->entered && !number--) return all[i];
  }
  return NULL;
}

bool device_wanted(void) {
  return !closed && env()->offload != OFFLOAD_DISABLED && device_chosen_type() != acc_device_host;
}

bool device_in_use(void) { return in_use; }

acc_device_t device_chosen_type(void) { return choice.made ? choice.type : env()->device_type; }

int device_chosen_num(void) { return choice.made ? choice.num : env()->device_num; }

void device_choose(acc_device_t type, int num) {
  choice.made = true;
  choice.type = type;
  choice.num = num;
}

bool device_at_home(void) { return !in_use && !closed && !choice.made; }

bool device_host_by_wish(void) { return choice.made && choice.type == acc_device_host; }

static const char *disabled(void) {
  if (env()->offload != OFFLOAD_DISABLED) return NULL;
  return is_privileged() ? "a program with rights that its user lacks uses no device" : "ACCSHARE_OFFLOAD=disabled";
}

const char *device_refused(void) {
  if (disabled()) return disabled();
  if (device_chosen_type() != acc_device_host) return NULL;
  return choice.made ? "acc_set_device_type chose the host" : "ACC_DEVICE_TYPE=host";
}

__attribute__((visibility("default"))) int accshare_own_kernels;

void device_own_kernels(void) { accshare_own_kernels = 1; }

bool device_any(acc_device_t type) { return type == acc_device_default || type == acc_device_not_host; }

bool device_is_native(acc_device_t type) {
  return accshare_own_kernels && !disabled() && (type == acc_device_cpu || device_any(type));
}

bool device_is_forced(void) {
  return (!env()->break_even || env()->offload == OFFLOAD_MANDATORY) && device_gpu_likely();
}

device *device_of_data(const char **reason) {
  if (in_use || device_is_forced() || !device_is_native(device_chosen_type())) return device_current(reason);
  *reason = "native kernels work in the host's memory";
  return NULL;
}

device *device_known(bool *unknown) {
  *unknown = !ordering_raised(&searched);
  if (*unknown || !device_wanted()) return NULL;
  unsigned count;
  device *const *devices = devices_of_type(device_chosen_type(), &count);
  return (unsigned)device_chosen_num() < count ? devices[device_chosen_num()] : NULL;
}

device *device_current(const char **reason) {
  static __thread char text[256];
  static device *usual; /* open, for threads that chose none */
  if (usual && !choice.made && !closed) return usual;
  *reason = disabled();
  if (*reason) return NULL;
  if (closed) {
    if (lost) fatal("%s, and data are needed that only the device holds", closed);
    *reason = closed;
    return NULL;
  }
  *reason = device_refused();
  if (*reason) return NULL;
  *reason = text;
  acc_device_t type = device_chosen_type();
  unsigned count;
  device *const *devices = devices_of_type(type, &count);
  int num = device_chosen_num();
  if (!count) {
    *reason = all_count ? "no OpenCL device of the chosen type" : "no OpenCL device found";
    return NULL;
  }
  if ((unsigned)num >= count) {
    snprintf(text, sizeof text, "there is no device number %d of the chosen type, only %u", num, count);
    return NULL;
  }
  if (device_open(devices[num])) {
    enter(devices[num]);
    if (!choice.made) usual = devices[num];
    return devices[num];
  }
  snprintf(text, sizeof text, "%.100s can't be opened: %s", devices[num]->name, opencl_error(devices[num]->open_error));
  return NULL;
}

void device_close(const char *why) {
  closed = why;
  for (unsigned i = 0; in_use && i < all_count; i++) {
    const present_table *table = &all[i]->present;
    for (unsigned j = 0; j < table->count; j++) {
      lost |= table->entries[j]->device_newer && !table->entries[j]->shared;
    }
  }
}

/* What a vendor's driver tells of a device beyond the standard, by the extension that has it. */
static const struct {
  const char *extension, *name;
  cl_uint what;
} attributes[] = {
    {"cl_nv_device_attribute_query", "capability_major", CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV},
    {"cl_nv_device_attribute_query", "capability_minor", CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV},
    {"cl_nv_device_attribute_query", "registers_per_group", CL_DEVICE_REGISTERS_PER_BLOCK_NV},
    {"cl_nv_device_attribute_query", "warp", CL_DEVICE_WARP_SIZE_NV},
    {"cl_amd_device_attribute_query", "wavefront", CL_DEVICE_WAVEFRONT_WIDTH_AMD},
    {"cl_amd_device_attribute_query", "local_per_unit", CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD},
    {"cl_amd_device_attribute_query", "local_banks", CL_DEVICE_LOCAL_MEM_BANKS_AMD},
    {"cl_amd_device_attribute_query", "gfx_major", CL_DEVICE_GFXIP_MAJOR_AMD},
    {"cl_intel_device_attribute_query", "engines_per_core", CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL},
    {"cl_intel_device_attribute_query", "threads_per_engine", CL_DEVICE_NUM_THREADS_PER_EU_INTEL},
};

static void attributes_json(text *out, const device *device) {
  char *extensions = device_text(device->cl, device->id, CL_DEVICE_EXTENSIONS);
  bool first = true;
  text_add(out, "\"attributes\": {");
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    if (!strstr(extensions, attributes[i].extension)) continue;
    cl_ulong value = device_number(device->cl, device->id, attributes[i].what);
    text_add(out, "%s\"%s\": %llu", first ? "" : ", ", attributes[i].name, (unsigned long long)value);
    first = false;
  }
  text_add(out, "}");
  free(extensions);
}

static void describe_json(text *out, const device *device) {
  text_add(out, "\n  {\"platform\": ");
  text_json(out, device->platform_name);
  text_add(out, ", \"platform_version\": ");
  text_json(out, device->platform_version);
  text_add(out, ", \"name\": ");
  text_json(out, device->name);
  text_add(out, ", \"vendor\": ");
  text_json(out, device->vendor);
  text_add(out, ", \"driver\": ");
  text_json(out, device->driver);
  text_add(out, ", \"version\": ");
  text_json(out, device->version);
  text_add(out, ", \"library\": ");
  text_json(out, device->library);
  text_add(out, ",\n   \"type\": \"%s\", \"compute_units\": %u, \"max_work_group\": %zu", device_kind(device),
           device->compute_units, device->max_work_group);
  text_add(out, ", \"local_bytes\": %llu, \"local_dedicated\": %s", (unsigned long long)device->local_bytes,
           device->local_dedicated ? "true" : "false");
  text_add(out, ", \"fp64\": %s, \"unified\": %s", device->fp64 ? "true" : "false", device->unified ? "true" : "false");
  text_add(out, ",\n   \"vector_width_float\": %u, \"cacheline_bytes\": %u, \"cache_bytes\": %llu",
           device->vector_float, device->cacheline_bytes, (unsigned long long)device->cache_bytes);
  text_add(out, ", \"global_bytes\": %llu, \"native_width_float\": %llu,\n   ", (unsigned long long)device->global_bytes,
           (unsigned long long)device_number(device->cl, device->id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  attributes_json(out, device);
  if (device->type & CL_DEVICE_TYPE_CPU) {
    text_add(out, ", \"caches\": ");
    cpu_caches_json(out);
  }
  text_add(out, "}");
}

char *device_list_json(void) {
  text out = {0};
  unsigned count;
  device *const *devices = devices_of_type(acc_device_default, &count);
  text_add(&out, "[");
  for (unsigned i = 0; i < count; i++) {
    if (i) text_add(&out, ",");
    describe_json(&out, devices[i]);
  }
  text_add(&out, "]");
  return out.bytes;
}
