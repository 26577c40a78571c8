#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "breakeven.h"
#include "clock.h"
#include "env.h"
#include "host.h"
#include "learn.h"
#include "lock.h"
#include "message.h"
#include "text.h"

enum { GRID = 3 };

typedef struct use {
  accshare_datum datum;
  entry *entry; /* NULL: nothing to bind */
  bool counted; /* present_release is due */
  bool fresh;   /* this region made the entry */
  bool was_newer; /* the device's copy was the newer one before the region */
} use;

typedef struct scratch {
  cl_mem buffer;
  size_t bytes;
} scratch;

struct accshare_session {
  accshare_region *region;
  device *device;
  const build *build;
  place place;
  double start;
  double moved; /* seconds in which data travelled, where that is measured */
  unsigned launched;
  bool failed;
  reason why; /* of the failure */
  scratch *scratch;
  unsigned scratch_count;
  cl_event *events; /* of the launches, when profiling */
  unsigned event_count;
  unsigned use_count;
  use uses[];
};

/* --- data --------------------------------------------------------------------------------------------------------- */

static bool enter(accshare_session *session, use *use) {
  const accshare_datum *datum = &use->datum;
  entering result = data_enter(session->device, &session->place, datum, false, false, &use->entry, &use->fresh,
                               &session->why);
  if (result == NOT_PRESENT) fatal("%s:%d: %s", session->place.file, session->place.line, session->why.text);
  if (result == PARTLY_PRESENT) return false;
  entry *entry = use->entry;
  if (!entry) return true;
  use->counted = datum_movement(datum) != ACCSHARE_DEVICEPTR;
  use->was_newer = entry->device_newer;
  entry->regions += use->counted;
  if (use->fresh) entry->read_only = datum_movement(datum) == ACCSHARE_COPYIN;
  if (use->fresh && session->why.text[0]) return false;
  return data_ready(session->device, &session->place, datum, entry, &session->why);
}

/* Uncounts all uses and drops what nothing needs any more. */
static void drop_data(accshare_session *session) {
  for (unsigned i = 0; i < session->use_count; i++) {
    use *use = &session->uses[i];
    if (!use->counted) continue;
    use->entry->regions--;
    if (present_release(use->entry, false, false)) data_drop(session->device, use->entry);
  }
}

/* --- closing ------------------------------------------------------------------------------------------------------ */

static unsigned open_sessions;

bool session_open(void) { return open_sessions > 0; }

static void free_session(accshare_session *session) {
  open_sessions--;
  for (unsigned i = 0; i < session->scratch_count; i++) {
    memory_free(&session->device->memory, session->scratch[i].buffer, session->scratch[i].bytes);
  }
  for (unsigned i = 0; i < session->event_count; i++) session->device->cl->ReleaseEvent(session->events[i]);
  free(session->scratch);
  free(session->events);
  free(session);
  lock_wake();
}

/* Whether host memory, with what is copied back of data present before, can be what it was before the region. */
static bool can_undo(const accshare_session *session) {
  if (!session->launched) return true;
  for (unsigned i = 0; i < session->use_count; i++) {
    const use *use = &session->uses[i];
    if (use->entry && (use->entry->shared || !use->counted || (!use->fresh && use->was_newer))) return false;
  }
  return true;
}

/* Gives the region up: nothing is copied out of new data, and the host's copy of present data is brought up to date. */
static void abandon(accshare_session *session, const char *why) {
  device *device = session->device;
  accshare_region *region = session->region;
  learn_failed(region);
  device->cl->Finish(device->queue);
  if (!can_undo(session)) {
    fatal("%s:%d: %s; the device had begun to change the data, so the host loops can't take over", region->file,
          region->line, why);
  }
  for (unsigned i = 0; i < session->use_count && session->launched; i++) {
    entry *entry = session->uses[i].entry;
    if (entry) entry->device_newer = false; /* spoilt; the host's copy is good */
  }
  drop_data(session);
  for (unsigned i = 0; i < session->use_count; i++) host_takes(device, region, &session->uses[i].datum);
  host_run(region, why, HOST_FAILURE);
  free_session(session);
}

/* Queues the copy-out of data that nothing else holds; the number queued, or -1 when the first of them failed. */
static int copy_out(accshare_session *session) {
  int queued = 0;
  for (unsigned i = 0; i < session->use_count; i++) {
    const use *use = &session->uses[i];
    bool last = use->counted && !use->entry->dynamic && use->entry->structured == use->entry->regions;
    bool always = use->counted && use->datum.movement & ACCSHARE_ALWAYS_OUT;
    if (!always && (!last || !data_comes_home(&use->datum))) continue;
    cl_int error = data_download(session->device, &session->place, &use->datum, use->entry, false);
    if (error) {
      reason_error(&session->why, "copying out", use->datum.name, error);
      if (!queued) return -1;
      fatal("%s:%d: %s; a part of the results was copied already", session->place.file, session->place.line,
            session->why.text);
    }
    queued++;
  }
  return queued;
}

static void account(accshare_session *session) {
  record *record = session->place.record;
  double seconds = clock_seconds() - session->start;
  record->runs++;
  record->seconds += seconds;
  if (session->launched == 1) breakeven_met(session->device, seconds);
  if (session->moved > 0) breakeven_moved(session->region, session->device, session->moved);
  learn_apart(session->moved);
  learn_end(session->region);
  for (unsigned i = 0; i < session->event_count; i++) {
    const opencl *cl = session->device->cl;
    cl_ulong from = 0, to = 0;
    cl->GetEventProfilingInfo(session->events[i], CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
    cl->GetEventProfilingInfo(session->events[i], CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    if (to > from) record->kernel_seconds += 1e-9 * (double)(to - from);
  }
}

/* What data take to travel is told apart from what kernels take, where anybody wants to know. */
static double travel_begins(const accshare_session *session) {
  device *device = session->device;
  bool told = learn_measures(session->region) && !device->memory.coherent;
  if (told) device->cl->Finish(device->queue);
  return told ? clock_seconds() : 0;
}

static void travel_ends(accshare_session *session, double begin) {
  if (begin <= 0) return;
  device *device = session->device;
  device->cl->Finish(device->queue);
  session->moved += clock_seconds() - begin;
}

int session_end(accshare_session *session) {
  device *device = session->device;
  if (session->failed) {
    abandon(session, session->why.text);
    return 0;
  }
  double begin = travel_begins(session);
  int copies = copy_out(session);
  cl_int error = copies < 0 ? CL_SUCCESS : device->cl->Finish(device->queue);
  travel_ends(session, begin);
  if (error) reason_error(&session->why, "running kernels", device->name, error);
  if (error && copies) {
    fatal("%s:%d: %s; a part of the results may have been copied already", session->place.file, session->place.line,
          session->why.text);
  }
  if (copies < 0 || error) {
    abandon(session, session->why.text);
    return 0;
  }
  account(session);
  drop_data(session);
  free_session(session);
  return 1;
}

/* --- opening and launching ---------------------------------------------------------------------------------------- */

accshare_session *session_begin(accshare_region *region, const accshare_datum *data, unsigned count) {
  if (host_computes_apart(region, data, count)) return NULL;
  const char *reason;
  device *device = device_current(&reason);
  if (!device) {
    host_run(region, reason, device_host_by_wish() ? HOST_BY_WISH : HOST_NO_DEVICE);
    return NULL;
  }
  double start = clock_seconds();
  if (!program_is_ready(region, device)) learn_drop(); /* building happens only once */
  const build *build = program_build(region, device);
  data_wait(device, data, count);
  accshare_session *session = allocate(sizeof *session + count * sizeof session->uses[0]);
  open_sessions++;
  session->region = region;
  session->device = device;
  session->build = build;
  session->start = start;
  session->use_count = count;
  session->place = (place){region->file, region->line, program_state(region)->record};
  for (unsigned i = 0; i < count; i++) {
    session->uses[i].datum = data[i];
    data_recognise(device, &session->uses[i].datum);
  }
  if (build->failure) {
    abandon(session, build->failure);
    return NULL;
  }
  double begin = travel_begins(session);
  for (unsigned i = 0; i < count; i++) {
    if (enter(session, &session->uses[i])) continue;
    abandon(session, session->why.text);
    return NULL;
  }
  travel_ends(session, begin);
  return session;
}

/* Whether native kernels run a region without knowing the extent of a datum. */
static bool does_without(const device *device, accshare_region *region, const accshare_datum *datum) {
  int variant = program_native(region);
  if (variant < 0 || !(region->variants[variant].flags & ACCSHARE_ANY_EXTENT)) return false;
  return !device || datum->movement != ACCSHARE_DEVICEPTR;
}

int session_find(accshare_region *region, accshare_datum *datum) {
  enum { NOWHERE, FOUND, ANYWHERE };
  bool asked = datum->origin && (datum->movement == ACCSHARE_PRESENT || datum->movement == ACCSHARE_DEVICEPTR);
  bool native = program_native(region) >= 0;
  bool nothing_yet = !device_in_use() && (native || (breakeven_wanted() && !asked)); /* and a device would be opened in vain */
  const char *no_device;
  reason why;
  device *device = nothing_yet ? NULL : device_current(&no_device);
  if (!device && !nothing_yet) {
    host_run(region, no_device, device_host_by_wish() ? HOST_BY_WISH : HOST_NO_DEVICE);
    return NOWHERE;
  }
  bool needless = does_without(device, region, datum);
  entering result = data_find(device, datum, needless ? NULL : &why); /* small regions ask often, and to say why takes longer than they do */
  if (result == ENTERED) return FOUND;
  if (needless) {
    if (device) host_takes_all(device, region);
    breakeven_no_device(region);
    return ANYWHERE;
  }
  if (asked && result == NOT_PRESENT && !native) fatal("%s:%d: %s", region->file, region->line, why.text);
  session_host(region, why.text);
  return NOWHERE;
}

long session_units(accshare_session *session) {
  cl_uint units = session->device->compute_units;
  return units ? (long)units : 1;
}

unsigned session_variant(accshare_session *session) { return session->build->variant; }

static void fail(accshare_session *session, const char *call, const char *name, cl_int error) {
  if (!session->failed) reason_error(&session->why, call, name, error);
  session->failed = true;
}

int session_scratch(accshare_session *session, unsigned long bytes) {
  if (session->failed) return -1;
  scratch made = {NULL, bytes ? bytes : 16};
  cl_int error;
  made.buffer = memory_allocate(&session->device->memory, made.bytes, &error);
  if (error) {
    fail(session, "allocating device memory", "scratch space", error);
    return -1;
  }
  unsigned at = session->scratch_count++;
  session->scratch = reallocate(session->scratch, session->scratch_count * sizeof made);
  session->scratch[at] = made;
  return (int)at;
}

static cl_int set_buffer(const build *build, unsigned kernel, cl_uint *at, const cl_mem *buffer, cl_long first) {
  cl_int error = program_set(build, kernel, (*at)++, sizeof *buffer, *buffer ? buffer : NULL);
  return error ? error : program_set(build, kernel, (*at)++, sizeof first, &first);
}

/* Elements from the start of the entry's buffer to element 0 of the array as the kernel indexes it. */
static bool first_element(const use *use, cl_long *first) {
  const accshare_datum *datum = &use->datum;
  *first = 0;
  if (!use->entry) return true;
  const char *start = (use->counted ? use->entry->start : use->entry->address) - use->entry->offset;
  cl_long distance = (const char *)datum->origin - start;
  cl_long element = datum->element ? (cl_long)datum->element : 1;
  *first = distance / element;
  return distance % element == 0;
}

static bool set_arguments(accshare_session *session, const accshare_launch *launch) {
  const build *build = session->build;
  cl_uint at = 0;
  for (unsigned i = 0; i < launch->arg_count; i++) {
    const accshare_arg *arg = &launch->args[i];
    cl_int error;
    if (arg->kind == ACCSHARE_ARG_VALUE) {
      error = program_set(build, launch->kernel, at++, arg->bytes, arg->value);
    } else if (arg->kind == ACCSHARE_ARG_SCRATCH) {
      error = set_buffer(build, launch->kernel, &at, &session->scratch[arg->index].buffer, 0);
    } else {
      const use *use = &session->uses[arg->index];
      cl_long first;
      if (!first_element(use, &first)) {
        snprintf(session->why.text, sizeof session->why.text,
                 "%.80s does not start at a whole element of the section that is present", use->datum.name);
        session->failed = true;
        return false;
      }
      cl_mem buffer = use->entry ? use->entry->buffer : NULL;
      error = set_buffer(build, launch->kernel, &at, &buffer, first);
    }
    if (error) {
      fail(session, "clSetKernelArg", session->region->name, error);
      return false;
    }
  }
  return true;
}

static void notify_launch(const accshare_session *session, const accshare_launch *launch, const size_t *groups,
                          const size_t *local) {
  const accshare_variant *variant = &session->region->variants[session->build->variant];
  warn("launch file=%s line=%d kernel=%s device=\"%s\" grid=%zux%zux%zu block=%zux%zux%zu variant=%s", session->region->file,
       launch->line, variant->kernels[launch->kernel], session->device->name, groups[0], groups[1], groups[2], local[0],
       local[1], local[2], variant->target);
}

/* Notes that a kernel changes what the device has from now on. */
static void launched(accshare_session *session) {
  for (unsigned i = 0; i < session->use_count && !session->launched; i++) {
    entry *entry = session->uses[i].entry;
    if (!entry) continue;
    entry->device_newer = true;
    entry->blank = false;
  }
  session->launched++;
  session->place.record->launches++;
}

/* Queues the `groups` of a launch from `first` on, on an event when profiling. */
static cl_int enqueue(accshare_session *session, const accshare_launch *launch, const size_t local[GRID],
                      const size_t first[GRID], const size_t groups[GRID]) {
  device *device = session->device;
  size_t offset[GRID], global[GRID];
  for (unsigned d = 0; d < GRID; d++) {
    offset[d] = first[d] * local[d];
    global[d] = groups[d] * local[d];
  }
  cl_event *event = NULL;
  if (env()->profile) {
    session->events = reallocate(session->events, (session->event_count + 1) * sizeof *session->events);
    event = &session->events[session->event_count];
  }
  cl_kernel kernel = session->build->kernels[launch->kernel];
  cl_int error = device->cl->EnqueueNDRangeKernel(device->queue, kernel, GRID, offset, global, local, 0, NULL, event);
  if (error) return error;
  if (event) session->event_count++;
  launched(session);
  if (env()->notify & NOTIFY_LAUNCHES) notify_launch(session, launch, groups, local);
  return CL_SUCCESS;
}

/* How many groups from `first` on a part of a launch has along an axis: GPUs of NVIDIA take no more along y and z. */
static size_t part(const accshare_session *session, const accshare_launch *launch, unsigned axis, size_t first) {
  const size_t most = 65535, left = (size_t)launch->groups[axis] - first;
  const bool parted = session->region->variants[session->build->variant].flags & ACCSHARE_IN_PARTS;
  return parted && left > most ? most : left;
}

/* Queues a launch, in parts where it has more groups than GPUs take. */
static cl_int enqueue_parts(accshare_session *session, const accshare_launch *launch, const size_t local[GRID]) {
  size_t first[GRID] = {0}, groups[GRID] = {(size_t)launch->groups[0]};
  cl_int error = CL_SUCCESS;
  for (first[2] = 0; first[2] < (size_t)launch->groups[2] && !error; first[2] += groups[2]) {
    groups[2] = part(session, launch, 2, first[2]);
    for (first[1] = 0; first[1] < (size_t)launch->groups[1] && !error; first[1] += groups[1]) {
      groups[1] = part(session, launch, 1, first[1]);
      error = enqueue(session, launch, local, first, groups);
    }
  }
  return error;
}

int session_launch(accshare_session *session, const accshare_launch *launch) {
  if (session->failed) return 0;
  size_t local[GRID];
  for (unsigned d = 0; d < GRID; d++) {
    if (launch->groups[d] < 1) return 1;
    local[d] = launch->local[d] ? launch->local[d] : 1;
  }
  const build *build = session->build;
  const char *name = session->region->variants[build->variant].kernels[launch->kernel];
  if (!set_arguments(session, launch)) return 0;
  cl_int error = enqueue_parts(session, launch, local);
  if (error) {
    fail(session, "launching", name, error);
    return 0;
  }
  return 1;
}

void session_host(accshare_region *region, const char *reason) {
  const char *unused;
  device *device = device_in_use() ? device_current(&unused) : NULL;
  if (device && reason) host_takes_all(device, region);
  host_run(region, reason ? reason : "the if clause is false", reason ? HOST_NO_DEVICE : HOST_BY_WISH);
}
