/* host_data: what runs on the host there sees what the device did, and the device what the host does. */
#include "check.h"

enum { N = 32 };
static double a[N];

static void add(double *x, double value)
{
#pragma acc parallel loop deviceptr(x)
  for (int i = 0; i < N; i++)
    x[i] += value;
}

static double sum(const double *x)
{
  double s = 0;
  for (int i = 0; i < N; i++)
    s += x[i];
  return s;
}

int main(void)
{
  struct { double *data; } s = {malloc(N * sizeof(double))};
  double *p = s.data, got[N];
  const int first = N * (N - 1) / 2;
  for (int i = 0; i < N; i++)
    a[i] = p[i] = i;
#pragma acc data copy(a, p[0:N])
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma acc host_data use_device(a, p)
    {
      CHECK(sum(a) == first + N);
      a[0] += 100;
      add(a, 10);
      add(p, 20);
      acc_memcpy_from_device(got, p, sizeof got);
      CHECK(got[3] == 23);
    }
    if (is("separate"))
      CHECK(a[3] == 4 && p[3] == 3);
#pragma acc host_data use_device(p) if (N < 4)
    CHECK(p[3] == (is("separate") ? 3 : 23));
    if (N > 4)
#pragma acc host_data use_device(s.data)
      CHECK(sum(s.data) == first + 20 * N);
    else
      CHECK(0);
  }
  CHECK(a[0] == 111 && a[3] == 14 && p[3] == 23);
#pragma acc host_data use_device(p) if_present
  p[3] = 1;
  CHECK(p[3] == 1);
  free(p);
  return failures != 0;
}
