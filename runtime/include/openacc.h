/* The OpenACC 3.x runtime library routines (section 3 of the specification), as accshare offers them.
 *
 * Every operation is finished when its routine returns, so the asynchronous forms need no waiting. Device addresses
 * (acc_malloc, acc_deviceptr, acc_copyin...) are reserved ranges of the address space: they may be offset, passed to
 * `deviceptr` clauses and to the routines here, and not read or written by the host.
 */
#ifndef _OPENACC_H
#define _OPENACC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum acc_device_t {
  acc_device_none = 0,
  acc_device_default = 1,
  acc_device_host = 2,
  acc_device_not_host = 3,
  acc_device_nvidia = 4,
  acc_device_radeon = 5,
  acc_device_gpu = 6,
  acc_device_cpu = 7,
  acc_device_current = 8,
  acc_device_opencl = 9 /* accshare's own: through OpenCL, whatever the device is */
} acc_device_t;

typedef enum acc_device_property_t {
  acc_property_none = 0,
  acc_property_memory = 1,
  acc_property_free_memory = 2,
  acc_property_shared_memory_support = 3,
  acc_property_name = 0x10001,
  acc_property_vendor = 0x10002,
  acc_property_driver = 0x10003
} acc_device_property_t;

enum { acc_async_sync = -1, acc_async_noval = -2, acc_async_default = -3 };

int acc_get_num_devices(acc_device_t type);
void acc_set_device_type(acc_device_t type);
acc_device_t acc_get_device_type(void);
void acc_set_device_num(int num, acc_device_t type);
int acc_get_device_num(acc_device_t type);
size_t acc_get_property(int num, acc_device_t type, acc_device_property_t property);
const char *acc_get_property_string(int num, acc_device_t type, acc_device_property_t property);
void acc_init(acc_device_t type);
void acc_init_device(int num, acc_device_t type);
void acc_shutdown(acc_device_t type);
void acc_shutdown_device(int num, acc_device_t type);
int acc_on_device(acc_device_t type);

int acc_async_test(int async);
int acc_async_test_device(int async, int num);
int acc_async_test_all(void);
int acc_async_test_all_device(int num);
void acc_wait(int async);
void acc_wait_device(int async, int num);
void acc_wait_async(int wait, int async);
void acc_wait_device_async(int wait, int async, int num);
int acc_wait_any(int count, int queues[]);
int acc_wait_any_device(int count, int queues[], int num);
void acc_wait_all(void);
void acc_wait_all_device(int num);
void acc_wait_all_async(int async);
void acc_wait_all_device_async(int async, int num);
int acc_get_default_async(void);
void acc_set_default_async(int async);

void *acc_malloc(size_t bytes);
void acc_free(void *device);
void *acc_copyin(void *host, size_t bytes);
void acc_copyin_async(void *host, size_t bytes, int async);
void *acc_create(void *host, size_t bytes);
void acc_create_async(void *host, size_t bytes, int async);
void acc_copyout(void *host, size_t bytes);
void acc_copyout_async(void *host, size_t bytes, int async);
void acc_copyout_finalize(void *host, size_t bytes);
void acc_copyout_finalize_async(void *host, size_t bytes, int async);
void acc_delete(void *host, size_t bytes);
void acc_delete_async(void *host, size_t bytes, int async);
void acc_delete_finalize(void *host, size_t bytes);
void acc_delete_finalize_async(void *host, size_t bytes, int async);
void acc_update_device(void *host, size_t bytes);
void acc_update_device_async(void *host, size_t bytes, int async);
void acc_update_self(void *host, size_t bytes);
void acc_update_self_async(void *host, size_t bytes, int async);
int acc_is_present(void *host, size_t bytes);
void *acc_deviceptr(void *host);
void *acc_hostptr(void *device);
void acc_memcpy_to_device(void *device, void *host, size_t bytes);
void acc_memcpy_from_device(void *host, void *device, size_t bytes);
void acc_memcpy_to_device_async(void *device, void *host, size_t bytes, int async);
void acc_memcpy_from_device_async(void *host, void *device, size_t bytes, int async);
void acc_memcpy_device(void *target, void *source, size_t bytes);
void acc_memcpy_device_async(void *target, void *source, size_t bytes, int async);
void acc_memcpy_d2d(void *target, void *source, size_t bytes, int target_num, int source_num);
void acc_memcpy_d2d_async(void *target, void *source, size_t bytes, int target_num, int source_num, int async);
void acc_map_data(void *host, void *device, size_t bytes);
void acc_unmap_data(void *host);
void acc_attach(void **pointer);
void acc_attach_async(void **pointer, int async);
void acc_detach(void **pointer);
void acc_detach_async(void **pointer, int async);
void acc_detach_finalize(void **pointer);
void acc_detach_finalize_async(void **pointer, int async);

/* Names of OpenACC 2.0, still found in programs. */
#define acc_present_or_copyin acc_copyin
#define acc_pcopyin acc_copyin
#define acc_present_or_create acc_create
#define acc_pcreate acc_create
#define acc_update_host acc_update_self
#define acc_async_wait acc_wait
#define acc_async_wait_all acc_wait_all

#ifdef __cplusplus
}
#endif

#endif
