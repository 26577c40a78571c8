// Device addresses: named by a clause, named by a data construct around the region, and not named at all.
// prints: 5050 5150 5350
// launches: 3
#include <stdio.h>
#ifdef _OPENACC
#include <openacc.h>
#else
#define acc_deviceptr(p) (p)
#endif

enum { N = 100 };
static double a[N], b[N];

static double sum(void)
{
  double s = 0;
#pragma acc update self(b)
  for (int i = 0; i < N; i++)
    s += b[i];
  return s;
}

int main(void)
{
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma acc enter data copyin(a) create(b)
  double *p = acc_deviceptr(a), *q = acc_deviceptr(b);
#pragma acc parallel loop deviceptr(p, q)
  for (int i = 0; i < N; i++)
    q[i] = p[i] + 1;
  double first = sum();
#pragma acc data deviceptr(p, q)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
      q[i] = p[i] + 2;
  }
  double second = sum();
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    q[i] = p[i] + 4;
  printf("%g %g %g\n", first, second, sum());
#pragma acc exit data delete(a, b)
  return 0;
}
