/* The routines of openacc.h that copy by device addresses, and those that say where a host address leads. */
#pragma GCC visibility push(default)
#include "../include/openacc.h"
#pragma GCC visibility pop

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "lock.h"
#include "message.h"
#include "text.h"

static device *current(void) {
  const char *reason;
  return device_of_data(&reason);
}

/* Bytes of an entry's buffer, and where among them an address lies. */
typedef struct span {
  entry *entry;
  size_t offset;
} span;

/* Where a device address leads, or the host address of present data, which host_data gives for one; ends the program when `bytes` behind it are none. */
static span span_of(device *device, const char *routine, const char *address, size_t bytes) {
  entry *held = present_by_address(&device->present, address);
  entry *present = held ? NULL : present_find(&device->present, address, bytes);
  if (present) {
    const place place = {routine, 0, NULL};
    const accshare_datum datum = {routine, present->start, 0, present->bytes, 1, ACCSHARE_PRESENT};
    reason why;
    if (!data_ready(device, &place, &datum, present, &why)) fatal("%s: %s", routine, why.text);
    return (span){present, present->offset + (size_t)(address - present->start)};
  }
  if (!held || !held->buffer || (size_t)(address - held->address) + bytes > held->bytes) {
    fatal("%s: %p is no device address with %zu bytes behind it", routine, (const void *)address, bytes);
  }
  return (span){held, held->offset + (size_t)(address - held->address)};
}

static void written(const span *span) {
  span->entry->device_newer = true;
  span->entry->blank = false;
}

void acc_memcpy_to_device(void *target, void *host, size_t bytes) {
  lock_take();
  device *device = current();
  if (!device) {
    memmove(target, host, bytes);
  } else if (bytes) {
    const span to = span_of(device, "acc_memcpy_to_device", target, bytes);
    cl_int error =
        device->cl->EnqueueWriteBuffer(device->queue, to.entry->buffer, CL_TRUE, to.offset, bytes, host, 0, NULL, NULL);
    if (error) fatal("acc_memcpy_to_device failed: %s", opencl_error(error));
    written(&to);
  }
  lock_give();
}

void acc_memcpy_from_device(void *host, void *source, size_t bytes) {
  lock_take();
  device *device = current();
  if (!device) {
    memmove(host, source, bytes);
  } else if (bytes) {
    const span from = span_of(device, "acc_memcpy_from_device", source, bytes);
    cl_int error =
        device->cl->EnqueueReadBuffer(device->queue, from.entry->buffer, CL_TRUE, from.offset, bytes, host, 0, NULL, NULL);
    if (error) fatal("acc_memcpy_from_device failed: %s", opencl_error(error));
  }
  lock_give();
}

void acc_memcpy_device(void *target, void *source, size_t bytes) {
  static const char name[] = "acc_memcpy_device";
  lock_take();
  device *device = current();
  if (!device) {
    memmove(target, source, bytes);
  } else if (bytes && target != source) {
    const span to = span_of(device, name, target, bytes), from = span_of(device, name, source, bytes);
    const opencl *cl = device->cl;
    cl_int error = cl->EnqueueCopyBuffer(device->queue, from.entry->buffer, to.entry->buffer, from.offset, to.offset, bytes,
                                         0, NULL, NULL);
    if (!error) error = cl->Finish(device->queue);
    if (error) fatal("%s failed: %s", name, opencl_error(error));
    written(&to);
  }
  lock_give();
}

void acc_memcpy_to_device_async(void *target, void *host, size_t bytes, int async) {
  (void)async, acc_memcpy_to_device(target, host, bytes);
}

void acc_memcpy_from_device_async(void *host, void *source, size_t bytes, int async) {
  (void)async, acc_memcpy_from_device(host, source, bytes);
}

void acc_memcpy_device_async(void *target, void *source, size_t bytes, int async) {
  (void)async, acc_memcpy_device(target, source, bytes);
}

/* The entry of host memory that is present on device `num` of the current type. */
static entry *present_on(int num, const void *host, size_t bytes, device **where) {
  unsigned count;
  device *const *devices = devices_of_type(device_chosen_type(), &count);
  if (num < 0 || (unsigned)num >= count) fatal("acc_memcpy_d2d: there is no device number %d", num);
  *where = devices[num];
  entry *held = present_find(&devices[num]->present, host, bytes);
  if (!held) fatal("acc_memcpy_d2d: %p is not present on device %d", host, num);
  return held;
}

void acc_memcpy_d2d(void *target, void *source, size_t bytes, int target_num, int source_num) {
  lock_take();
  if (!current()) {
    memmove(target, source, bytes);
  } else if (bytes) {
    static const place place = {"acc_memcpy_d2d", 0, NULL};
    device *from, *to;
    entry *read = present_on(source_num, source, bytes, &from), *changed = present_on(target_num, target, bytes, &to);
    accshare_datum datum = {place.file, changed->start, 0, changed->bytes, 1, ACCSHARE_PRESENT};
    reason why;
    if (!data_ready(to, &place, &datum, changed, &why)) fatal("%s: %s", place.file, why.text);
    void *between = allocate(bytes);
    cl_int error = CL_SUCCESS;
    if (read->buffer && !read->host_newer) {
      size_t offset = read->offset + (size_t)((char *)source - read->start);
      error = from->cl->EnqueueReadBuffer(from->queue, read->buffer, CL_TRUE, offset, bytes, between, 0, NULL, NULL);
    } else {
      memcpy(between, source, bytes);
    }
    size_t offset = changed->offset + (size_t)((char *)target - changed->start);
    if (!error) {
      error = to->cl->EnqueueWriteBuffer(to->queue, changed->buffer, CL_TRUE, offset, bytes, between, 0, NULL, NULL);
    }
    if (error) fatal("%s failed: %s", place.file, opencl_error(error));
    free(between);
    written(&(span){changed, offset});
  }
  lock_give();
}

void acc_memcpy_d2d_async(void *target, void *source, size_t bytes, int target_num, int source_num, int async) {
  (void)async, acc_memcpy_d2d(target, source, bytes, target_num, source_num);
}

void acc_map_data(void *host, void *address, size_t bytes) {
  static const char name[] = "acc_map_data";
  lock_take();
  device *device = current();
  if (device && host && bytes) {
    const span memory = span_of(device, name, address, bytes);
    entry *made = present_insert(&device->present, host, bytes, false);
    if (!made) fatal("%s: %p is present on the device already", name, host);
    made->buffer = memory.entry->buffer;
    made->offset = memory.offset;
    made->mapped = true;
    made->dynamic = 1;
    present_name(made, address);
  }
  lock_give();
}

void acc_unmap_data(void *host) {
  lock_take();
  device *device = current();
  entry *held = device && host ? present_find(&device->present, host, 1) : NULL;
  if (held && held->mapped && held->start == (char *)host) {
    data_drop(device, held);
  } else if (device && host) {
    fatal("acc_unmap_data: %p was not mapped by acc_map_data", host);
  }
  lock_give();
}
