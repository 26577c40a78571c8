#include "program.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "background.h"
#include "cache.h"
#include "clock.h"
#include "cpu.h"
#include "env.h"
#include "ordering.h"
#include "place.h"
#include "pocl.h"
#include "progress.h"
#include "roomy.h"

region_state *program_state(accshare_region *region) {
  if (!region->runtime) {
    region_state *made = allocate(sizeof *made);
    const char *name = region->name && *region->name ? region->name : "region";
    made->record = profile_region(region->file, region->line, region->function, name);
    __atomic_store_n(&region->runtime, made, __ATOMIC_RELEASE);
  }
  return region->runtime;
}

static bool suits_processor(const accshare_variant *variant) {
  return !variant->options || !*variant->options || cpu_has(variant->options);
}

int program_native(accshare_region *region) {
  region_state *state = program_state(region);
  for (unsigned i = 0; i < region->variant_count && !state->native; i++) {
    const accshare_variant *variant = &region->variants[i];
    if (variant->flags & ACCSHARE_NATIVE && suits_processor(variant)) state->native = (int)i + 1;
  }
  if (!state->native) state->native = -1;
  acc_device_t type = device_chosen_type();
  return state->native > 0 && (type == acc_device_cpu || device_any(type)) ? state->native - 1 : -1;
}

static void add_field(text *key, const char *field) { text_bytes(key, field, strlen(field) + 1); }

/* A variant's kernels for a device. */
typedef struct request {
  const accshare_variant *variant;
  const device *device;
} request;

static text build_options(const request *request) {
  const char *exact = request->device->divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "";
  text options = {0};
  text_add(&options, "%s%s", request->variant->options ? request->variant->options : "", exact);
  return options;
}

static text cache_key(const request *request) {
  const accshare_variant *variant = request->variant;
  const device *device = request->device;
  text key = {0};
  add_field(&key, device->platform_name);
  add_field(&key, device->platform_version);
  add_field(&key, device->name);
  add_field(&key, device->version);
  add_field(&key, device->driver);
  text options = build_options(request);
  add_field(&key, options.bytes);
  free(options.bytes);
  add_field(&key, variant->source);
  return key;
}

static cl_int compile(const request *request, cl_program program) {
  text options = build_options(request);
  cl_int error = request->device->cl->BuildProgram(program, 1, &request->device->id, options.bytes, NULL, NULL);
  free(options.bytes);
  return error;
}

static cl_program from_cache(const request *request, const text *key) {
  const device *device = request->device;
  size_t bytes;
  unsigned char *binary = cache_load(key, &bytes);
  if (!binary) return NULL;
  const unsigned char *binaries[] = {binary};
  cl_int status = CL_SUCCESS, error;
  cl_program program =
      device->cl->CreateProgramWithBinary(device->context, 1, &device->id, &bytes, binaries, &status, &error);
  free(binary);
  if (error) return NULL;
  if (!status && !compile(request, program)) return program;
  device->cl->ReleaseProgram(program);
  return NULL;
}

static void to_cache(const device *device, cl_program program, const text *key) {
  size_t bytes = 0;
  if (device->cl->GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) || !bytes) return;
  unsigned char *binary = allocate(bytes);
  unsigned char *binaries[] = {binary};
  if (!device->cl->GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL)) {
    cache_store(key, binary, bytes);
  }
  free(binary);
}

/* Nobody waits for what is built in the background, and nobody hears of it. */
static void print_log(const request *request, cl_program program) {
  if (background_here() && !env()->notify) return;
  const opencl *cl = request->device->cl;
  cl_device_id id = request->device->id;
  size_t bytes = 0;
  cl->GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
  char *log = allocate(bytes + 1);
  if (bytes && !cl->GetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) && *log) {
    fprintf(stderr, "%s%s", log, log[strlen(log) - 1] == '\n' ? "" : "\n");
  }
  free(log);
}

static cl_program from_source(const request *request) {
  const opencl *cl = request->device->cl;
  cl_int error;
  const char *texts[] = {request->variant->source};
  cl_program program = cl->CreateProgramWithSource(request->device->context, 1, texts, NULL, &error);
  if (error) return NULL;
  if (!compile(request, program)) return program;
  print_log(request, program);
  cl->ReleaseProgram(program);
  return NULL;
}

typedef struct making {
  const request *request;
  cl_program program; /* NULL: it can't be built */
  const char *why;
} making;

/* A debugger's messages quote the source, which a stored binary no longer has. */
static void make_program(void *argument) {
  making *making = argument;
  const request *request = making->request;
  text key = cache_key(request);
  if (!request->device->debugger) making->program = from_cache(request, &key);
  if (!making->program && request->device->builds_in_place) {
    making->why = pocl_cannot_build(request->device->platform_version);
  }
  if (!making->program && !making->why) {
    making->program = from_source(request);
    if (making->program && !request->device->debugger) to_cache(request->device, making->program, &key);
  }
  free(key.bytes);
}

static void release(const device *device, build *build, unsigned kernels) {
  for (unsigned i = 0; i < kernels; i++) device->cl->ReleaseKernel(build->kernels[i]);
  free(build->kernels);
  free(build->bound);
  build->kernels = NULL;
  build->bound = NULL;
  device->cl->ReleaseProgram(build->program);
  build->program = NULL;
}

/* Whether a kernel can have its work-groups. One that was compiled for groups of a size runs them: NVIDIA's driver has 256 as the
 * limit of all kernels, also of those that it compiled for 1024. */
static bool has_room(const request *request, cl_kernel kernel, const char *name, reason *why) {
  const device *device = request->device;
  size_t limit = 0, compiled_for[3] = {0, 0, 0};
  cl_int error = device->cl->GetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                                    sizeof compiled_for, compiled_for, NULL);
  if (!error && compiled_for[0] && compiled_for[1] && compiled_for[2]) return true;
  error = device->cl->GetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL);
  if (error || !limit || limit >= request->variant->work_group) return true;
  snprintf(why->text, sizeof why->text, "kernel %.80s runs in work-groups of %zu at most, not %lu", name, limit,
           request->variant->work_group);
  return false;
}

/* Makes the kernels; false and a reason when one can't be made or can't have work-groups of the variant's size. */
static bool make_kernels(const request *request, build *build, reason *why) {
  const device *device = request->device;
  const accshare_variant *variant = request->variant;
  unsigned count = variant->kernel_count;
  build->kernels = allocate(count * sizeof *build->kernels);
  build->bound = allocate(count * sizeof *build->bound);
  for (unsigned i = 0; i < count; i++) {
    const char *name = variant->kernels[i];
    cl_int error;
    build->kernels[i] = device->cl->CreateKernel(build->program, name, &error);
    if (error) reason_error(why, "clCreateKernel", name, error);
    if (error || !has_room(request, build->kernels[i], name, why)) {
      release(device, build, error ? i : i + 1);
      return false;
    }
  }
  return true;
}

static bool fits(const request *request, reason *why) {
  const accshare_variant *variant = request->variant;
  const device *device = request->device;
  if ((variant->flags & ACCSHARE_NEEDS_FP64) && !device->fp64) {
    snprintf(why->text, sizeof why->text, "the device has no double precision");
  } else if ((variant->flags & ACCSHARE_NEEDS_ATOMICS64) && !device->atomics64) {
    snprintf(why->text, sizeof why->text, "the device can't change 64 bits in one piece");
  } else if ((variant->flags & ACCSHARE_NEEDS_SOUND_BARRIERS) && is_pocl_version(device->platform_version)) {
    snprintf(why->text, sizeof why->text, "PoCL would compile barriers for %s to something else", variant->target);
  } else if (variant->work_group > device->max_work_group) {
    snprintf(why->text, sizeof why->text, "work-groups of %lu are needed, the device has %zu at most",
             variant->work_group, device->max_work_group);
  } else if (variant->local_bytes > device->local_bytes) {
    snprintf(why->text, sizeof why->text, "%lu bytes of local memory are needed, the device has %llu",
             variant->local_bytes, (unsigned long long)device->local_bytes);
  } else {
    return true;
  }
  return false;
}

/* Whether the compiler named its target after this device: letters and digits of its name, perhaps with a number. */
static bool is_named_after(const char *target, const char *name) {
  enum { LONGEST = 48 };
  char slug[LONGEST + 1];
  size_t length = 0;
  for (; *name && length < LONGEST; name++) {
    bool word = (*name >= '0' && *name <= '9') || ((*name | 32) >= 'a' && (*name | 32) <= 'z');
    if (word) slug[length++] = *name >= 'A' ? (char)(*name | 32) : *name;
    if (!word && (!length || slug[length - 1] != '-')) slug[length++] = '-';
  }
  while (length && slug[length - 1] == '-') length--;
  const char *start = *slug == '-' && length ? slug + 1 : slug;
  length -= (size_t)(start - slug);
  if (!length || strncmp(target, start, length) != 0) return false;
  const char *rest = target + length;
  return !*rest || (*rest == '-' && rest[1] >= '2' && rest[1] <= '9' && !rest[2]);
}

/* How well a variant suits the device: 0 best. Code for another kind of device is right too, only slower. That for
 * another CPU may be slower too, and its vectors more than this one's OpenCL compiler takes. */
static unsigned distance(const accshare_variant *variant, const device *device) {
  bool elsewhere = (variant->flags & ACCSHARE_ONE_CPU) && !is_named_after(variant->target, device->name);
  if (!strcmp(variant->kind, device_kind(device))) return elsewhere ? 1 : 0;
  return strcmp(variant->kind, "any") ? 2 : 1;
}

/* Tries one variant; true when it can run, or when there is no use in trying others. */
static bool try_variant(const accshare_region *region, const device *device, build *build, reason *why) {
  request request = {&region->variants[build->variant], device};
  if (!fits(&request, why)) return false;
  if (device->builds_in_place && !place_has_room()) {
    snprintf(why->text, sizeof why->text, "no room is left to build kernels in");
    return true;
  }
  making making = {&request, NULL, NULL};
  roomy_call(make_program, &making);
  build->program = making.program;
  if (!build->program) {
    snprintf(why->text, sizeof why->text, "%s", making.why ? making.why : "OpenCL build failed");
    return true;
  }
  return make_kernels(&request, build, why);
}

static void choose(const accshare_region *region, const device *device, build *build) {
  reason why = {"the object carries no kernel for this region"};
  for (unsigned wanted = 0; wanted <= 2; wanted++) {
    for (unsigned i = 0; i < region->variant_count; i++) {
      if (region->variants[i].flags & ACCSHARE_NATIVE) continue;
      if (distance(&region->variants[i], device) != wanted) continue;
      build->variant = i;
      if (!try_variant(region, device, build, &why)) continue;
      if (!build->program) build->failure = copy_string(why.text);
      return;
    }
  }
  build->failure = copy_string(why.text);
}

cl_int program_set(const build *build, unsigned kernel, cl_uint at, size_t bytes, const void *value) {
  bound *bound = &build->bound[kernel];
  if (bound->released != build->device->memory.pool.released) bound->count = 0;
  bound->released = build->device->memory.pool.released;
  if (at >= bound->count) {
    bound->args = reallocate(bound->args, (at + 1) * sizeof *bound->args);
    for (; bound->count <= at; bound->count++) bound->args[bound->count].bytes = 0;
  }
  bool small = value && bytes <= KEPT_ARGUMENT;
  if (small && bound->args[at].bytes == bytes && !memcmp(bound->args[at].value, value, bytes)) return CL_SUCCESS;
  cl_int error = build->device->cl->SetKernelArg(build->kernels[kernel], at, bytes, value);
  bound->args[at].bytes = small && !error ? bytes : 0;
  if (small) memcpy(bound->args[at].value, value, bytes);
  return error;
}

/* --- in the background -------------------------------------------------------------------------------------------- */

/* Of who builds: one at a time, with the lock or without. */
static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

/* The region may be unloaded before it is built, so that it is a copy. */
typedef struct errand {
  accshare_region region;
  acc_device_t type;
  int num;
  build *made; /* NULL: there is no such device */
  double seconds;
  atomic_bool over;
  bool taken; /* into the region's builds */
} errand;

static const char **copy_names(const char *const *names, unsigned count) {
  const char **copies = allocate(count * sizeof *copies);
  for (unsigned i = 0; i < count; i++) copies[i] = copy_string(names[i]);
  return copies;
}

static accshare_region copy_of(const accshare_region *region) {
  accshare_variant *variants = allocate(region->variant_count * sizeof *variants);
  for (unsigned i = 0; i < region->variant_count; i++) {
    const accshare_variant *given = &region->variants[i];
    variants[i] = *given;
    variants[i].target = copy_string(given->target);
    variants[i].kind = copy_string(given->kind);
    variants[i].source = copy_string(given->source ? given->source : "");
    variants[i].options = copy_string(given->options ? given->options : "");
    variants[i].kernels = copy_names(given->kernels, given->kernel_count);
  }
  accshare_region copy = *region;
  copy.file = copy_string(region->file);
  copy.function = copy_string(region->function);
  copy.name = copy_string(region->name);
  copy.variants = variants;
  copy.runtime = NULL;
  return copy;
}

static build *make(const accshare_region *region, const device *device) {
  build *made = allocate(sizeof *made);
  made->device = device;
  choose(region, device, made);
  return made;
}

/* Opening is done as others do: drivers start threads that run kernels later. */
static void run_errand(void *argument) {
  errand *errand = argument;
  unsigned count;
  device *const *devices = devices_of_type(errand->type, &count);
  device *device = (unsigned)errand->num < count ? devices[errand->num] : NULL;
  if (device && program_suits(&errand->region, device) && !background_ends() && device_open(device) && !background_ends()) {
    background_yield();
    pthread_mutex_lock(&building);
    double start = clock_seconds();
    errand->made = make(&errand->region, device);
    errand->seconds = clock_seconds() - start;
    pthread_mutex_unlock(&building);
  }
  ordering_raise(&errand->over);
}

void program_request(accshare_region *region) {
  region_state *state = program_state(region);
  acc_device_t type = device_chosen_type();
  int num = device_chosen_num();
  if (state->errand && !ordering_raised(&state->errand->over)) return;
  if (state->errand && state->errand->type == type && state->errand->num == num) return;
  errand *made = allocate(sizeof *made);
  made->region = copy_of(region);
  made->type = type;
  made->num = num;
  state->errand = made;
  if (!background_do(run_errand, made)) ordering_raise(&made->over);
}

/* --- what is built ------------------------------------------------------------------------------------------------ */

static void add(accshare_region *region, build *made, double seconds) {
  region_state *state = program_state(region);
  record *record = state->record;
  made->next = state->builds;
  state->builds = made;
  record->build_seconds += seconds;
  if (made->failure) return;
  record->device = made->device->name;
  free(record->variant);
  record->variant = copy_string(region->variants[made->variant].target);
}

static const build *find(accshare_region *region, const device *device) {
  region_state *state = program_state(region);
  errand *errand = state->errand;
  if (errand && !errand->taken && ordering_raised(&errand->over)) {
    errand->taken = true;
    if (errand->made) add(region, errand->made, errand->seconds);
  }
  for (const build *each = state->builds; each; each = each->next) {
    if (each->device == device) return each;
  }
  return NULL;
}

bool program_suits(accshare_region *region, const device *device) {
  bool native = false, found = false;
  for (unsigned i = 0; i < region->variant_count; i++) native |= (region->variants[i].flags & ACCSHARE_NATIVE) != 0;
  for (unsigned i = 0; i < region->variant_count && !found; i++) {
    const accshare_variant *variant = &region->variants[i];
    if (variant->flags & ACCSHARE_NATIVE) continue;
    bool asked = strcmp(variant->kind, "gpu") != 0; /* a GPU is what is taken without being named */
    found = !native || (device ? distance(variant, device) < 2 : asked || device_gpu_likely());
  }
  if (!found || !device) return found;
  const region_state *state = region->runtime;
  for (const build *each = state ? state->builds : NULL; each; each = each->next) {
    if (each->device == device && each->failure) return !native;
  }
  return true;
}

bool program_is_ready(accshare_region *region, device *device) {
  const build *found = ordering_raised(&device->open) ? find(region, device) : NULL;
  return found && !found->failure;
}

const build *program_build(accshare_region *region, device *device) {
  const build *found = find(region, device);
  if (found) return found;
  progress_begin(device->name);
  pthread_mutex_lock(&building);
  found = find(region, device); /* what was being built in the background */
  if (!found) {
    double start = clock_seconds();
    build *made = make(region, device);
    add(region, made, clock_seconds() - start);
    found = made;
  }
  pthread_mutex_unlock(&building);
  progress_end();
  return found;
}

int program_prebuild(accshare_region *region) {
  unsigned count;
  int ready = 0;
  device *const *devices = devices_of_type(acc_device_default, &count);
  for (unsigned i = 0; i < count; i++) {
    if (program_suits(region, devices[i]) && device_open(devices[i])) ready += !program_build(region, devices[i])->failure;
  }
  return ready;
}
