/* The routines of openacc.h. */
#pragma GCC visibility push(default)
#include "../include/openacc.h"
#pragma GCC visibility pop

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data.h"
#include "declared.h"
#include "lock.h"
#include "message.h"

/* What acc_malloc gave while native kernels, or host loops, worked in the host's memory. */
static present_table own_memory;

static device *current(void) {
  const char *reason;
  return device_of_data(&reason);
}

static accshare_datum datum_of(const char *name, void *host, size_t bytes, int movement) {
  return (accshare_datum){name, host, 0, bytes, 1, movement};
}

static void directive(const char *name, int op, unsigned flags, void *host, size_t bytes, int movement) {
  accshare_datum datum = datum_of(name, host, bytes, movement);
  place place = {name, 0, NULL};
  lock_take();
  data_directive(op, flags, &place, &datum, 1);
  lock_give();
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

static acc_device_t meant(acc_device_t type) { return type == acc_device_current ? device_chosen_type() : type; }

/* The processor is one device, where the program has kernels for it, and is none beside others. */
int acc_get_num_devices(acc_device_t type) {
  if (type == acc_device_host) return 1;
  lock_take();
  unsigned count = 0;
  bool native = device_is_native(meant(type));
  if (!native || (device_any(meant(type)) && device_gpu_likely())) devices_of_type(native ? acc_device_gpu : meant(type), &count);
  lock_give();
  return native && !count ? 1 : (int)count;
}

void acc_set_device_type(acc_device_t type) {
  lock_take();
  if (type != acc_device_current) device_choose(type, 0);
  lock_give();
}

acc_device_t acc_get_device_type(void) {
  lock_take();
  const device *device = current();
  acc_device_t none = device_is_native(device_chosen_type()) && device_wanted() ? acc_device_cpu : acc_device_host;
  lock_give();
  return device ? device->vendor_type : none;
}

void acc_set_device_num(int num, acc_device_t type) {
  lock_take();
  device_choose(type == acc_device_current || type == acc_device_none ? device_chosen_type() : type, num < 0 ? 0 : num);
  lock_give();
}

int acc_get_device_num(acc_device_t type) {
  (void)type;
  lock_take();
  int num = device_chosen_num();
  lock_give();
  return num;
}

/* Whether that is the processor, by native kernels. */
static bool is_native(int num, acc_device_t type) { return !num && !device_in_use() && device_is_native(meant(type)); }

/* Device `num` of `type`, NULL when there is none or it is the processor itself; the lock is held. */
static const device *device_at(int num, acc_device_t type) {
  if (type == acc_device_current) return current();
  if (is_native(num, type)) return NULL;
  unsigned count;
  device *const *devices = devices_of_type(type, &count);
  return num >= 0 && (unsigned)num < count ? devices[num] : NULL;
}

static size_t own_property(int num, acc_device_t type, acc_device_property_t property) {
  if (!is_native(num, type)) return 0;
  size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  if (property == acc_property_shared_memory_support) return 1;
  if (property == acc_property_memory) return all;
  if (property != acc_property_free_memory) return 0;
  for (unsigned i = 0; i < own_memory.count; i++) all -= own_memory.entries[i]->bytes;
  return all;
}

size_t acc_get_property(int num, acc_device_t type, acc_device_property_t property) {
  lock_take();
  const device *device = device_at(num, type);
  size_t value = device ? 0 : own_property(num, type, property);
  if (device && property == acc_property_memory) value = (size_t)device->global_bytes;
  if (device && property == acc_property_free_memory) value = (size_t)device->global_bytes - present_bytes(&device->present);
  if (device && property == acc_property_shared_memory_support) value = device->zero_copy;
  lock_give();
  return value;
}

const char *acc_get_property_string(int num, acc_device_t type, acc_device_property_t property) {
  lock_take();
  const device *device = device_at(num, type);
  const char *value = NULL;
  if (!device && property == acc_property_name && is_native(num, type)) value = "native";
  if (device && property == acc_property_name) value = device->name;
  if (device && property == acc_property_vendor) value = device->vendor;
  if (device && property == acc_property_driver) value = device->driver;
  lock_give();
  return value;
}

/* Native kernels need nothing, and devices that may be better for some of the work are looked for when there is some. */
void acc_init(acc_device_t type) {
  lock_take();
  unsigned count;
  if (!device_is_native(meant(type))) devices_of_type(meant(type), &count);
  lock_give();
}

void acc_init_device(int num, acc_device_t type) {
  (void)num;
  acc_init(type);
}

static void shut_down(device *device) {
  if (!device->entered) return;
  device->cl->Finish(device->queue);
  for (unsigned i = device->present.count; i-- > 0;) {
    entry *each = device->present.entries[i];
    if (!each->regions) data_drop(device, each);
  }
  memory_drain(&device->memory);
  declared_enter(device);
}

void acc_shutdown(acc_device_t type) {
  lock_take();
  unsigned count = 0;
  device *const *devices = device_in_use() ? devices_of_type(meant(type), &count) : NULL;
  for (unsigned i = 0; i < count; i++) shut_down(devices[i]);
  lock_give();
}

void acc_shutdown_device(int num, acc_device_t type) {
  lock_take();
  unsigned count = 0;
  device *const *devices = device_in_use() ? devices_of_type(meant(type), &count) : NULL;
  if (num >= 0 && (unsigned)num < count) shut_down(devices[num]);
  lock_give();
}

/* Host code asks: on a device, the compiler answers. */
int acc_on_device(acc_device_t type) {
  if (type == acc_device_default || type == acc_device_current) return acc_get_device_type() == acc_device_host;
  return type == acc_device_host || type == acc_device_none;
}

/* --- waiting: every operation is over when its call returns --------------------------------------------------------- */

/* What stands for the program's own choice of a queue (acc-default-async-var). */
enum { FIRST_ASYNC = 0 };

static int default_async = FIRST_ASYNC;

int acc_async_test(int async) { return (void)async, 1; }
int acc_async_test_device(int async, int num) { return (void)async, (void)num, 1; }
int acc_async_test_all(void) { return 1; }
int acc_async_test_all_device(int num) { return (void)num, 1; }
void acc_wait(int async) { (void)async; }
void acc_wait_device(int async, int num) { (void)async, (void)num; }
void acc_wait_async(int wait, int async) { (void)wait, (void)async; }
void acc_wait_device_async(int wait, int async, int num) { (void)wait, (void)async, (void)num; }
void acc_wait_all(void) {}
/* All queues are done; of those that are still asked for, the first. */
int acc_wait_any(int count, int queues[]) {
  for (int i = 0; i < count; i++) {
    if (queues[i] != acc_async_sync) return i;
  }
  return -1;
}
int acc_wait_any_device(int count, int queues[], int num) { return (void)num, acc_wait_any(count, queues); }
void acc_wait_all_device(int num) { (void)num; }
void acc_wait_all_async(int async) { (void)async; }
void acc_wait_all_device_async(int async, int num) { (void)async, (void)num; }
int acc_get_default_async(void) { return default_async; }

void acc_set_default_async(int async) {
  default_async = async == acc_async_default || async == acc_async_noval ? FIRST_ASYNC : async;
}

/* --- device memory ------------------------------------------------------------------------------------------------ */

static void *host_malloc(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory && bytes) present_insert(&own_memory, memory, bytes, true);
  return memory;
}

/* The memory is an entry whose host address is its own reserved range. Without a device: host memory. */
static void *device_malloc(size_t bytes) {
  device *device = current();
  if (!device) return host_malloc(bytes);
  char *range = bytes ? present_reserve(bytes) : NULL;
  if (!range) return NULL;
  cl_int error;
  cl_mem buffer = memory_allocate(&device->memory, bytes, &error);
  if (error) {
    warn("acc_malloc of %zu bytes failed: %s", bytes, opencl_error(error));
    present_unreserve(range, bytes);
    return NULL;
  }
  entry *made = present_insert(&device->present, range, bytes, false);
  made->buffer = buffer;
  present_name(made, range);
  made->dynamic = 1;
  return range;
}

void *acc_malloc(size_t bytes) {
  lock_take();
  void *memory = device_malloc(bytes);
  lock_give();
  return memory;
}

void acc_free(void *memory) {
  lock_take();
  entry *own = memory ? present_find(&own_memory, memory, 1) : NULL;
  device *device = own ? NULL : current();
  entry *held = device && memory ? present_find(&device->present, memory, 1) : NULL;
  if (own && own->start == (char *)memory) {
    present_remove(&own_memory, own);
    free(memory);
  } else if (held && held->start == (char *)memory && held->address == held->start && !held->shared) {
    size_t bytes = held->bytes;
    data_drop(device, held);
    present_unreserve(memory, bytes);
  } else if (!device) {
    free(memory);
  } else if (memory) {
    warn("acc_free: %p was not made by acc_malloc on this device", memory);
  }
  lock_give();
}

/* The device address of host memory; NULL when it is not present. Without a device: the host address. */
static void *address_of(void *host) {
  static const place place = {"acc_deviceptr", 0, NULL};
  device *device = current();
  if (!device) return host;
  entry *held = present_find(&device->present, host, 1);
  if (held && held->together) {
    accshare_datum datum = datum_of(place.file, held->start, held->bytes, ACCSHARE_PRESENT);
    reason why;
    if (!data_ready(device, &place, &datum, held, &why)) warn("%s: %s", place.file, why.text);
  }
  char *address = held ? present_address(held) : NULL;
  return address ? address + ((char *)host - held->start) : NULL;
}

void *acc_deviceptr(void *host) {
  lock_take();
  void *address = address_of(host);
  lock_give();
  return address;
}

void *acc_hostptr(void *address) {
  lock_take();
  device *device = current();
  const entry *held = device ? present_by_address(&device->present, address) : NULL;
  void *host = held ? held->start + ((char *)address - held->address) : NULL;
  lock_give();
  return device ? host : address;
}

void *acc_copyin(void *host, size_t bytes) {
  directive("acc_copyin", ACCSHARE_ENTER, 0, host, bytes, ACCSHARE_COPYIN);
  return acc_deviceptr(host);
}

void *acc_create(void *host, size_t bytes) {
  directive("acc_create", ACCSHARE_ENTER, 0, host, bytes, ACCSHARE_CREATE);
  return acc_deviceptr(host);
}

void acc_copyout(void *host, size_t bytes) {
  directive("acc_copyout", ACCSHARE_EXIT, 0, host, bytes, ACCSHARE_COPYOUT);
}

void acc_copyout_finalize(void *host, size_t bytes) {
  directive("acc_copyout_finalize", ACCSHARE_EXIT, ACCSHARE_FINALIZE, host, bytes, ACCSHARE_COPYOUT);
}

void acc_delete(void *host, size_t bytes) {
  directive("acc_delete", ACCSHARE_EXIT, 0, host, bytes, ACCSHARE_DELETE);
}

void acc_delete_finalize(void *host, size_t bytes) {
  directive("acc_delete_finalize", ACCSHARE_EXIT, ACCSHARE_FINALIZE, host, bytes, ACCSHARE_DELETE);
}

void acc_update_device(void *host, size_t bytes) {
  directive("acc_update_device", ACCSHARE_UPDATE, 0, host, bytes, ACCSHARE_UPDATE_DEVICE);
}

void acc_update_self(void *host, size_t bytes) {
  directive("acc_update_self", ACCSHARE_UPDATE, 0, host, bytes, ACCSHARE_UPDATE_HOST);
}

void acc_copyin_async(void *host, size_t bytes, int async) { (void)async, acc_copyin(host, bytes); }
void acc_create_async(void *host, size_t bytes, int async) { (void)async, acc_create(host, bytes); }
void acc_copyout_async(void *host, size_t bytes, int async) { (void)async, acc_copyout(host, bytes); }
void acc_delete_async(void *host, size_t bytes, int async) { (void)async, acc_delete(host, bytes); }
void acc_update_device_async(void *host, size_t bytes, int async) { (void)async, acc_update_device(host, bytes); }
void acc_update_self_async(void *host, size_t bytes, int async) { (void)async, acc_update_self(host, bytes); }

void acc_copyout_finalize_async(void *host, size_t bytes, int async) {
  (void)async, acc_copyout_finalize(host, bytes);
}

void acc_delete_finalize_async(void *host, size_t bytes, int async) { (void)async, acc_delete_finalize(host, bytes); }

int acc_is_present(void *host, size_t bytes) {
  lock_take();
  device *device = current();
  int present = !device || present_find(&device->present, host, bytes) != NULL;
  lock_give();
  return present;
}

/* Regions find what a host pointer leads to by the host's address whenever they run, so that no device has a copy of it that
 * could be told. */
void acc_attach(void **pointer) { (void)pointer; }
void acc_attach_async(void **pointer, int async) { (void)pointer, (void)async; }
void acc_detach(void **pointer) { (void)pointer; }
void acc_detach_async(void **pointer, int async) { (void)pointer, (void)async; }
void acc_detach_finalize(void **pointer) { (void)pointer; }
void acc_detach_finalize_async(void **pointer, int async) { (void)pointer, (void)async; }
