/* Copies by device addresses, and host memory that is mapped to them. */
#include "check.h"

enum { N = 64 };
static double a[N], b[N], c[N];

static void double_all(double *x)
{
#pragma acc parallel loop present(x[0:N])
  for (int i = 0; i < N; i++)
    x[i] *= 2;
}

static void copies(void)
{
  double got[N] = {0};
  for (int i = 0; i < N; i++)
    a[i] = i, b[i] = 100 + i;
  double *memory = acc_malloc(2 * sizeof a);
  acc_memcpy_to_device_async(memory, a, sizeof a, 1);
  acc_memcpy_device(memory + N, memory, sizeof a);
  acc_memcpy_device_async(memory, memory + N + 8, 8 * sizeof *a, 2);
  acc_memcpy_from_device_async(got, memory, sizeof a, 3);
  CHECK(got[0] == 8 && got[7] == 15 && got[8] == 8);
#pragma acc enter data copyin(b)
  acc_memcpy_device(acc_deviceptr(b + 2), memory + N + 30, 2 * sizeof *a);
#pragma acc parallel loop deviceptr(memory) present(b)
  for (int i = 0; i < N; i++)
    b[i] += memory[i];
#pragma acc exit data copyout(b)
  CHECK(b[1] == 110 && b[2] == 40 && b[3] == 42 && b[20] == 140);
  acc_free(memory);
}

static void mapped(void)
{
  double *memory = acc_malloc(2 * sizeof c), got[N];
  for (int i = 0; i < N; i++)
    c[i] = i;
  acc_map_data(c, memory + N, sizeof c);
  CHECK(acc_is_present(c, sizeof c));
#pragma acc update device(c)
  double_all(c);
#pragma acc data copyin(c)
  double_all(c);
#pragma acc exit data delete(c) finalize
  CHECK(acc_is_present(c, sizeof c));
  if (!in_place()) {
    CHECK(c[3] == 3);
    CHECK(acc_deviceptr(c + 1) == memory + N + 1);
    CHECK(acc_hostptr(memory + N + 5) == c + 5);
    acc_memcpy_from_device(got, memory + N, sizeof got);
    CHECK(got[3] == 12);
  }
#pragma acc update self(c)
  CHECK(c[3] == 12 && c[N - 1] == 4 * (N - 1));
  acc_unmap_data(c);
  CHECK(acc_is_present(c, sizeof c) == in_place());
  acc_free(memory);
}

static void between_devices(void)
{
  for (int i = 0; i < N; i++)
    a[i] = i, b[i] = -1;
#pragma acc enter data copyin(a, b)
  acc_memcpy_d2d(b + 1, a + 10, 5 * sizeof *a, 0, 0);
#pragma acc exit data copyout(b) delete(a)
  CHECK(b[0] == -1 && b[1] == 10 && b[5] == 14 && b[6] == -1);
}

struct pair {
  double *first, *second;
  int n;
};

static void attached(void)
{
  struct pair p = {a, b, N};
  for (int i = 0; i < N; i++)
    a[i] = i, b[i] = 1;
#pragma acc enter data copyin(p)
#pragma acc enter data copyin(p.first[0:N], p.second[0:N]) attach(p.first)
  acc_attach((void **)&p.second);
#pragma acc parallel loop default(present) attach(p.first)
  for (int i = 0; i < N; i++)
    p.first[i] += p.second[i];
  acc_detach_finalize((void **)&p.second);
#pragma acc exit data detach(p.first) copyout(p.first[0:N], p.second[0:N])
#pragma acc exit data copyout(p)
  CHECK(a[9] == 10 && p.first == a && p.n == N);
}

int main(void)
{
  int queues[3] = {acc_async_sync, 4, acc_async_sync};
  copies();
  mapped();
  between_devices();
  attached();
  CHECK(acc_wait_any(3, queues) == 1);
  CHECK(acc_wait_any(1, queues) == -1);
  const acc_device_t type = acc_get_device_type();
  const size_t before = acc_get_property(0, type, acc_property_free_memory);
  void *some = acc_malloc(1 << 20);
  const size_t now = acc_get_property(0, type, acc_property_free_memory);
  CHECK(is("host") || now + (1 << 20) == before);
  acc_free(some);
  CHECK(acc_get_property(0, type, acc_property_free_memory) == before);
  return failures != 0;
}
