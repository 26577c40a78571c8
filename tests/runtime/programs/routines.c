/* The routines of openacc.h, printed one fact a line. */
#include "support.h"

#include "openacc.h"

enum { N = 32 };

static void devices(void) {
  printf("devices %d\n", acc_get_num_devices(acc_device_not_host) > 0);
  printf("named %d\n", acc_get_property_string(0, acc_device_not_host, acc_property_name) != NULL);
  printf("on host %d\n", acc_on_device(acc_device_host));
}

static void memory(void) {
  float x[N], y[N];
  fill(x, N, 1, 0);
  fill(y, N, 0, 1);
  acc_copyin(y, sizeof y);
  axpy(1, x, y, 0, N);
  acc_update_self(y, sizeof y / 2);
  printf("update %g %g\n", y[3], y[N - 1]);
  y[4] = 50;
  acc_update_device(y + 4, sizeof y[4]);
  axpy(1, x, y, 0, N);
  acc_copyout(y, sizeof y);
  printf("copyout %g %g present %d\n", y[3], y[4], acc_is_present(y, sizeof y));
}

static void addresses(void) {
  float x[N], y[N];
  fill(x, N, 1, 0);
  fill(y, N, 0, 1);
  float *device_y = acc_malloc(sizeof y);
  acc_memcpy_to_device(device_y, y, sizeof y);
  const accshare_datum data[] = {DATUM(ACCSHARE_COPYIN, x, 0, 8), DATUM(ACCSHARE_DEVICEPTR, device_y, 0, 8)};
  int ran = axpy_on_device(1, data, 0, 8, 1);
  acc_memcpy_from_device(y, device_y, sizeof y);
  printf("deviceptr %d %g %g\n", ran, y[7], y[8]);
  acc_free(device_y);
  acc_create(x, sizeof x);
  printf("hostptr %d\n", acc_hostptr((float *)acc_deviceptr(x) + 5) == x + 5);
  acc_delete(x, sizeof x);
  printf("deleted %d\n", acc_deviceptr(x) == NULL);
}

static void choosing(void) {
  float x[N], y[N];
  fill(x, N, 1, 0);
  fill(y, N, 0, 1);
  acc_set_device_type(acc_device_host);
  int on_host = !axpy(1, x, y, 0, N);
  printf("host %d %d %g\n", on_host, acc_get_device_type() == acc_device_host, y[3]);
  acc_set_device_num(0, acc_device_not_host);
  int on_device = axpy(1, x, y, 0, N);
  printf("device %d %d %g\n", on_device, acc_get_device_type() != acc_device_host, y[3]);
}

int main(void) {
  devices();
  memory();
  addresses();
  choosing();
  acc_wait_all();
  acc_shutdown(acc_device_default);
  return 0;
}
