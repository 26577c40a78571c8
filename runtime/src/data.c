#include "data.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "env.h"
#include "lock.h"
#include "message.h"
#include "on_host.h"
#include "rows.h"

/* Whether the device is to have memory of its own for `datum`, even where it could work in the host's. */
static bool apart(const accshare_datum *datum) { return (datum->movement & (ACCSHARE_ZERO | ACCSHARE_CAPTURE)) != 0; }

/* A directive's datum with the section that ACCSHARE_WHOLE stands for, which it writes to `section`. When nothing is
 * present there: no bytes, or one byte, which is not present either, where `needed`. */
static const accshare_datum *section_of(const device *device, const accshare_datum *datum, bool needed,
                                        accshare_datum *section) {
  if (datum->bytes != ACCSHARE_WHOLE) return datum;
  const entry *whole = datum->origin ? present_find(&device->present, datum->origin, 1) : NULL;
  *section = *datum;
  section->lower = 0;
  section->bytes = whole ? whole->bytes : needed;
  if (whole) section->origin = whole->start;
  return section;
}

void data_recognise(const device *device, accshare_datum *datum) {
  if (!datum->bytes || !datum->origin) return;
  const present_table *table = &device->present;
  const entry *addressed = present_by_address(table, datum_start(datum));
  if (addressed && !addressed->shared) datum->movement = ACCSHARE_DEVICEPTR;
  bool by_host_address = datum_movement(datum) == ACCSHARE_DEVICEPTR && !addressed;
  if (by_host_address && present_find(table, datum_start(datum), 1)) datum->movement = ACCSHARE_PRESENT;
}

void reason_error(reason *reason, const char *call, const char *name, cl_int error) {
  snprintf(reason->text, sizeof reason->text, "%s failed for %.80s: %s", call, name, opencl_error(error));
}

/* Whether running regions are all that keeps the entry. */
static bool only_regions(const entry *entry) {
  return entry->regions && entry->structured == entry->regions && !entry->dynamic;
}

static bool overlaps(const entry *entry, const char *start, size_t bytes) {
  return entry->start < start + bytes && start < entry->start + entry->bytes;
}

/* Whether another thread's running region holds what `datum` touches, in a way that forbids sharing: only data that
 * both just read may be shared, anything else has to wait for that region's copy-out. */
static bool must_wait(const device *device, const accshare_datum *given) {
  accshare_datum section;
  const accshare_datum *datum = section_of(device, given, false, &section);
  if (!datum->bytes || !datum->origin || datum_movement(datum) == ACCSHARE_DEVICEPTR) return false;
  char *start = datum_start(datum);
  const present_table *table = &device->present;
  if (!present_overlap(table, start, datum->bytes)) return false;
  const entry *whole = present_find(table, start, datum->bytes);
  if (whole) return only_regions(whole) && !(whole->read_only && datum_movement(datum) == ACCSHARE_COPYIN);
  for (unsigned i = 0; i < table->count; i++) {
    if (overlaps(table->entries[i], start, datum->bytes) && only_regions(table->entries[i])) return true;
  }
  return false;
}

/* What program and directives made present around a section; NULL where `*several` sections of its array are. What other
 * threads' regions hold for as long as they run tells nothing. */
static const entry *around(const present_table *table, const accshare_datum *section, bool *several) {
  const entry *found = NULL;
  *several = false;
  for (unsigned i = 0; i < table->count; i++) {
    const entry *each = table->entries[i];
    if (each->origin != section->origin || only_regions(each)) continue;
    *several = found != NULL;
    if (*several) return NULL;
    found = each;
  }
  if (!found) found = present_overlap(table, datum_start(section), section->bytes);
  return found && !only_regions(found) ? found : NULL;
}

entering data_find(const device *device, accshare_datum *datum, reason *why) {
  accshare_datum section = *datum;
  const entry *found = NULL;
  bool several = false;
  if (!section.bytes) {
    section.lower = 0;
    section.bytes = 1;
  }
  if (device && section.origin && (section.movement == ACCSHARE_DEVICEPTR || present_any_named())) {
    data_recognise(device, &section);
  }
  if (section.origin && section.movement != ACCSHARE_DEVICEPTR) {
    found = around(device ? &device->present : on_host_table(), &section, &several);
  } else if (device && section.origin) {
    found = present_by_address(&device->present, datum_start(&section));
  }
  if (!found && !several) {
    const char *what = datum->movement == ACCSHARE_DEVICEPTR ? "no device address"
                       : datum->movement == ACCSHARE_PRESENT ? "not present on the device"
                                                             : "not present, and how much of it the region uses isn't known";
    if (why) snprintf(why->text, sizeof why->text, "%.80s is %s", datum->name, what);
    return NOT_PRESENT;
  }
  char *start = datum_start(&section);
  char *first = !found ? NULL : section.movement == ACCSHARE_DEVICEPTR ? found->address : found->start;
  if (several || (datum->bytes && (start < first || start + section.bytes > first + found->bytes))) {
    if (why) snprintf(why->text, sizeof why->text, "%.80s is only partly present on the device", datum->name);
    return PARTLY_PRESENT;
  }
  section.lower = first - (char *)section.origin;
  section.bytes = found->bytes;
  *datum = section;
  return ENTERED;
}

void data_wait(const device *device, const accshare_datum *data, unsigned count) {
  for (unsigned i = 0; i < count && device->present.count; i++) {
    if (must_wait(device, &data[i])) {
      lock_wait();
      i = (unsigned)-1; /* from the start: anything may have changed */
    }
  }
}

/* When a transfer begins. A profile times transfers alone: what is queued before is waited for. */
static double transfer_begins(const device *device) {
  if (env()->profile) device->cl->Finish(device->queue);
  return clock_seconds();
}

static void count(const device *device, const place *place, const char *name, size_t bytes, const char *direction,
                  double start) {
  if (env()->notify & NOTIFY_TRANSFERS) {
    warn("transfer file=%s line=%d name=%s bytes=%zu direction=%s device=\"%s\"", place->file, place->line, name, bytes,
         direction, device->name);
  }
  if (!place->record) return;
  record *record = place->record;
  traffic *traffic = *direction == 'i' ? &record->in : *direction == 'o' ? &record->out : &record->mapped;
  traffic->count++;
  traffic->bytes += bytes;
  traffic->seconds += clock_seconds() - start;
}

static cl_int upload(device *device, const place *place, const char *name, entry *entry, char *start, size_t bytes,
                     bool wait) {
  if (!entry->buffer || entry->together) return CL_SUCCESS;
  entry->blank = false;
  size_t offset = entry->offset + (size_t)(start - entry->start);
  double start_time = transfer_begins(device);
  wait = wait || env()->profile;
  /* For shared memory this is what tells the driver that the host wrote; with equal addresses nothing is moved. */
  cl_int error = device->cl->EnqueueWriteBuffer(device->queue, entry->buffer, wait, offset, bytes, start, 0, NULL, NULL);
  if (error) return error;
  if (!entry->shared) count(device, place, name, bytes, "in", start_time);
  if (bytes == entry->bytes) entry->host_newer = entry->device_newer = false;
  return CL_SUCCESS;
}

static cl_int download(device *device, const place *place, const char *name, entry *entry, char *start, size_t bytes,
                       bool wait) {
  if (!entry->buffer || entry->together || entry->host_newer) return CL_SUCCESS;
  const opencl *cl = device->cl;
  size_t offset = entry->offset + (size_t)(start - entry->start);
  cl_int error;
  if (entry->shared) {
    void *mapped =
        cl->EnqueueMapBuffer(device->queue, entry->buffer, wait, CL_MAP_READ, offset, bytes, 0, NULL, NULL, &error);
    if (error) return error;
    error = cl->EnqueueUnmapMemObject(device->queue, entry->buffer, mapped, 0, NULL, NULL);
  } else {
    double start_time = transfer_begins(device);
    wait = wait || env()->profile;
    error = cl->EnqueueReadBuffer(device->queue, entry->buffer, wait, offset, bytes, start, 0, NULL, NULL);
    if (!error) count(device, place, name, bytes, "out", start_time);
  }
  if (!error && bytes == entry->bytes) entry->device_newer = false;
  return error;
}

cl_int data_upload(device *device, const place *place, const accshare_datum *datum, entry *entry, bool wait) {
  return upload(device, place, datum->name, entry, datum_start(datum), datum->bytes, wait);
}

cl_int data_download(device *device, const place *place, const accshare_datum *datum, entry *entry, bool wait) {
  return download(device, place, datum->name, entry, datum_start(datum), datum->bytes, wait);
}

/* Where what the program has made present counts: its entry, if the device's copy does. */
static entry *held_apart(const device *device, const char *start, size_t bytes) {
  entry *entry = present_find(&device->present, start, bytes);
  bool by_device = entry && entry->buffer && !entry->together && !entry->host_newer && !only_regions(entry);
  return by_device ? entry : NULL;
}

cl_int data_transfer(device *device, const place *place, const accshare_datum *section, void *copy, bool out) {
  char *start = datum_start(section);
  size_t bytes = section->bytes;
  entry *entry = device ? held_apart(device, start, bytes) : NULL;
  if (!entry) {
    memcpy(out ? copy : start, out ? start : copy, bytes);
    return CL_SUCCESS;
  }
  const opencl *cl = device->cl;
  size_t offset = entry->offset + (size_t)(start - entry->start);
  double begin = transfer_begins(device);
  cl_int error;
  if (out) {
    error = cl->EnqueueReadBuffer(device->queue, entry->buffer, CL_TRUE, offset, bytes, copy, 0, NULL, NULL);
  } else {
    entry->device_newer = true;
    entry->blank = false;
    error = cl->EnqueueWriteBuffer(device->queue, entry->buffer, CL_TRUE, offset, bytes, copy, 0, NULL, NULL);
  }
  if (!error) count(device, place, section->name, bytes, out ? "out" : "in", begin);
  return error;
}

bool data_partly_present(const device *device, const accshare_datum *section) {
  const entry *first = present_overlap(&device->present, datum_start(section), section->bytes);
  return first && !only_regions(first) && !present_find(&device->present, datum_start(section), section->bytes);
}

/* Kernels reach the host's memory by its own address, which then must suit the element type. */
static bool suits(const device *device, const char *start, unsigned long element) {
  unsigned long alignment = element & (~element + 1);
  if (alignment > 16) alignment = 16;
  return device->zero_copy && (!alignment || ((uintptr_t)start & (alignment - 1)) == 0);
}

static cl_int attach(device *device, const place *place, const accshare_datum *datum, entry *entry) {
  cl_int error = CL_SUCCESS;
  bool shares = !apart(datum) && suits(device, entry->start, datum->element);
  if (shares) entry->buffer = memory_share(&device->memory, entry->start, entry->bytes);
  entry->shared = entry->buffer != NULL;
  present_together(entry, entry->shared && device->memory.coherent);
  if (entry->shared) {
    entry->host_newer = false;
    count(device, place, datum->name, entry->bytes, "map", clock_seconds());
  } else {
    entry->buffer = memory_allocate(&device->memory, entry->bytes, &error);
  }
  return error;
}

/* Fills the device's copy with zeros. */
static cl_int clear(device *device, entry *entry) {
  enum { MOST = 1 << 20 };
  size_t piece = entry->bytes < MOST ? entry->bytes : MOST;
  void *zeros = calloc(piece, 1);
  cl_int error = zeros ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  for (size_t at = 0; at < entry->bytes && !error; at += piece) {
    size_t bytes = entry->bytes - at < piece ? entry->bytes - at : piece;
    error = device->cl->EnqueueWriteBuffer(device->queue, entry->buffer, CL_TRUE, at, bytes, zeros, 0, NULL, NULL);
  }
  free(zeros);
  entry->device_newer = !error;
  entry->blank = false;
  return error;
}

static void enter_new(device *device, const place *place, const accshare_datum *datum, bool wait, entry **found,
                      reason *why) {
  entry *made = present_insert(&device->present, datum_start(datum), datum->bytes, false);
  *found = made;
  made->origin = datum->origin;
  cl_int error = attach(device, place, datum, made);
  if (error) {
    reason_error(why, "allocating device memory", datum->name, error);
    made->host_newer = true;
    return;
  }
  if (datum->movement & ACCSHARE_ZERO) {
    error = clear(device, made);
    if (error) reason_error(why, "filling with zeros", datum->name, error);
    return;
  }
  bool copies = datum_movement(datum) == ACCSHARE_COPY || datum_movement(datum) == ACCSHARE_COPYIN;
  made->blank = !copies && !made->shared;
  if (!copies || made->shared) return;
  error = data_upload(device, place, datum, made, wait);
  if (error) {
    reason_error(why, "copying in", datum->name, error);
    made->host_newer = true;
  }
}

entering data_enter(device *device, const place *place, const accshare_datum *datum, bool dynamic, bool wait,
                    entry **found, bool *fresh, reason *why) {
  *found = NULL;
  *fresh = false;
  why->text[0] = '\0';
  if (!datum->bytes || !datum->origin) return ENTERED;
  char *start = datum_start(datum);
  if (datum_movement(datum) == ACCSHARE_DEVICEPTR) {
    *found = present_by_address(&device->present, start);
    if (*found) return ENTERED;
    snprintf(why->text, sizeof why->text, "%.80s is no device address", datum->name);
    return NOT_PRESENT;
  }
  entry *first = present_overlap(&device->present, start, datum->bytes);
  *found = first ? present_find(&device->present, start, datum->bytes) : NULL;
  if (first && !*found) {
    snprintf(why->text, sizeof why->text, "%.80s is only partly present on the device (bytes %ld to %ld are asked for)",
             datum->name, datum->lower, datum->lower + (long)datum->bytes);
    return PARTLY_PRESENT;
  }
  if (!*found && datum_movement(datum) == ACCSHARE_NO_CREATE) return ENTERED;
  if (!*found && datum_movement(datum) == ACCSHARE_PRESENT) {
    snprintf(why->text, sizeof why->text, "%.80s is not present on the device", datum->name);
    return NOT_PRESENT;
  }
  if (!*found) {
    *fresh = true;
    enter_new(device, place, datum, wait, found, why);
  } else if (datum->movement & ACCSHARE_ZERO && (*found)->blank && (*found)->buffer) {
    cl_int error = clear(device, *found); /* any value would do there: programs mean this one */
    if (error) reason_error(why, "filling with zeros", datum->name, error);
  } else if (datum->movement & ACCSHARE_ALWAYS_IN && !(*found)->host_newer) {
    cl_int error = data_upload(device, place, datum, *found, wait);
    if (error) reason_error(why, "copying in", datum->name, error);
  }
  unsigned *counter = dynamic ? &(*found)->dynamic : &(*found)->structured;
  ++*counter;
  return ENTERED;
}

bool data_ready(device *device, const place *place, const accshare_datum *datum, entry *entry, reason *why) {
  if (!entry->buffer) {
    cl_int error = attach(device, place, datum, entry);
    if (error) {
      reason_error(why, "allocating device memory", datum->name, error);
      return false;
    }
  }
  if (!entry->host_newer) return true;
  cl_int error = upload(device, place, datum->name, entry, entry->start, entry->bytes, false);
  if (error) reason_error(why, "copying in", datum->name, error);
  return !error;
}

bool data_comes_home(const accshare_datum *datum) {
  return datum_movement(datum) == ACCSHARE_COPY || datum_movement(datum) == ACCSHARE_COPYOUT;
}

void data_drop(device *device, entry *entry) {
  if (entry->buffer && entry->shared) memory_unshare(&device->memory, entry->buffer, entry->start, entry->bytes);
  if (entry->buffer && !entry->shared && !entry->mapped) memory_free(&device->memory, entry->buffer, entry->bytes);
  present_remove(&device->present, entry);
}

bool data_leave(device *device, const place *place, entry *entry) {
  if (only_regions(entry) || entry->together || entry->host_newer) return true;
  if (entry->device_newer &&
      download(device, place, "(present data)", entry, entry->start, entry->bytes, true) != CL_SUCCESS) {
    return false;
  }
  entry->host_newer = true;
  return true;
}

/* New data are noted to be present, and get a buffer when a region or the program needs one, on a device that works in the
 * host's memory, and where native kernels may run, so that regions may never come to the device. Who asked for it is told of
 * all sharing, so that there it happens at once. */
static bool note(device *device, unsigned flags, const accshare_datum *datum) {
  bool told = env()->profile || (env()->notify & NOTIFY_TRANSFERS);
  bool together = device->memory.coherent && suits(device, datum_start(datum), datum->element);
  bool native = device_is_native(device_chosen_type()) && !device_is_forced();
  if (!native && (!together || told)) return false;
  if (apart(datum) || datum_movement(datum) > ACCSHARE_CREATE || !datum->bytes || !datum->origin) return false;
  entry *made = present_insert(&device->present, datum_start(datum), datum->bytes, together);
  if (!made) return false;
  made->origin = datum->origin;
  made->host_newer = true;
  *(flags & ACCSHARE_STRUCTURED ? &made->structured : &made->dynamic) = 1;
  return true;
}

static void enter(device *device, unsigned flags, const place *place, const accshare_datum *datum) {
  if (note(device, flags, datum)) return;
  entry *found;
  bool fresh;
  reason why;
  if (data_enter(device, place, datum, !(flags & ACCSHARE_STRUCTURED), true, &found, &fresh, &why) != ENTERED) {
    fatal("%s:%d: %s", place->file, place->line, why.text);
  }
  if (why.text[0] && datum->movement & ACCSHARE_ZERO) fatal("%s:%d: %s", place->file, place->line, why.text);
  if (why.text[0]) warn("%s:%d: %s; the host's copy stays in use", place->file, place->line, why.text);
}

void data_move_in(device *device) {
  present_table *on_host = on_host_table();
  for (unsigned i = on_host->count; i-- > 0;) {
    const entry *held = on_host->entries[i];
    const accshare_datum datum = {"(present data)", held->start, 0, held->bytes, 1, ACCSHARE_COPY};
    const place place = {"(present data)", 0, NULL};
    data_open(device, &place, &datum);
    entry *made = present_find(&device->present, held->start, held->bytes);
    if (made && made->start == held->start) {
      made->origin = held->origin;
      made->structured = held->structured;
      made->dynamic = held->dynamic;
    }
    present_remove(on_host, on_host->entries[i]);
  }
}

void data_open(device *device, const place *place, const accshare_datum *datum) {
  if (datum->movement & ACCSHARE_ZERO) {
    enter(device, ACCSHARE_STRUCTURED, place, datum);
    return;
  }
  bool together = device->memory.coherent && suits(device, datum_start(datum), datum->element);
  entry *made = present_insert(&device->present, datum_start(datum), datum->bytes, together);
  if (!made) return;
  made->host_newer = true; /* small loops may have run on the host before */
  made->structured = 1;
}

static void leave(device *device, unsigned flags, const place *place, const accshare_datum *datum) {
  if (!datum->bytes || !datum->origin || datum_movement(datum) == ACCSHARE_DEVICEPTR) return;
  entry *found = present_find(&device->present, datum_start(datum), datum->bytes);
  if (!found) return;
  bool last = present_release(found, !(flags & ACCSHARE_STRUCTURED), flags & ACCSHARE_FINALIZE);
  bool home = (last && data_comes_home(datum)) || datum->movement & ACCSHARE_ALWAYS_OUT;
  bool there = found->buffer && !found->together;
  cl_int error = there && home ? data_download(device, place, datum, found, true) : CL_SUCCESS;
  if (error) {
    fatal("%s:%d: copying out failed for %s: %s", place->file, place->line, datum->name, opencl_error(error));
  }
  if (last) data_drop(device, found);
}

static void update(device *device, unsigned flags, const place *place, const accshare_datum *datum) {
  if (!datum->bytes || !datum->origin) return;
  entry *found = present_find(&device->present, datum_start(datum), datum->bytes);
  if (!found && (flags & ACCSHARE_IF_PRESENT)) return;
  if (!found) fatal("%s:%d: update of %s, which is not present on the device", place->file, place->line, datum->name);
  if (datum_movement(datum) != ACCSHARE_UPDATE_HOST && found->host_newer) return; /* goes there whole when it is needed */
  cl_int error = datum_movement(datum) == ACCSHARE_UPDATE_HOST ? data_download(device, place, datum, found, true)
                                                         : data_upload(device, place, datum, found, true);
  if (error) fatal("%s:%d: update of %s failed: %s", place->file, place->line, datum->name, opencl_error(error));
}

/* Makes the host's copy the one that counts; device addresses are the device's own business. */
static void take(device *device, unsigned flags, const place *place, const accshare_datum *datum) {
  if (!datum->bytes || !datum->origin || datum_movement(datum) == ACCSHARE_DEVICEPTR) return;
  entry *found = present_find(&device->present, datum_start(datum), datum->bytes);
  if (!found && !(flags & ACCSHARE_IF_PRESENT)) {
    fatal("%s:%d: %s is not present on the device", place->file, place->line, datum->name);
  }
  if (found && !data_leave(device, place, found)) {
    fatal("%s:%d: %s can't be copied from the device", place->file, place->line, datum->name);
  }
}

void data_clear(const device *device, const accshare_datum *datum) {
  present_clear(device ? &device->present : on_host_table(), datum);
}

static void directive(int op, unsigned flags, const place *place, const accshare_datum *data, unsigned count) {
  const char *reason;
  device *device = device_of_data(&reason);
  if (!device) {
    on_host_directive(op, flags, data, count);
    return;
  }
  if (op == ACCSHARE_ENTER) data_wait(device, data, count);
  for (unsigned i = 0; i < count; i++) {
    bool needed = op == ACCSHARE_UPDATE || op == ACCSHARE_TAKE || datum_movement(&data[i]) == ACCSHARE_PRESENT;
    accshare_datum other;
    const accshare_datum *datum = section_of(device, &data[i], needed, &other);
    if (datum_movement(datum) == ACCSHARE_DEVICEPTR || present_any_named()) {
      other = *datum;
      data_recognise(device, &other);
      datum = &other;
    }
    if (op == ACCSHARE_ENTER) enter(device, flags, place, datum);
    if (op == ACCSHARE_EXIT) leave(device, flags, place, datum);
    if (op == ACCSHARE_UPDATE) update(device, flags, place, datum);
    if (op == ACCSHARE_CLEAR) data_clear(device, datum);
    if (op == ACCSHARE_TAKE) take(device, flags, place, datum);
  }
}

void data_directive(int op, unsigned flags, const place *place, const accshare_datum *data, unsigned count) {
  if (!rows_any(data, count)) {
    directive(op, flags, place, data, count);
    return;
  }
  sections sections = rows_expanded(data, count);
  directive(op, flags, place, sections.data, sections.count);
  free(sections.data);
}
