// Regions without a loop belong to the device: what they change there is not the host's.
// prints: 44 100 2 7
// launches: 3
#include <math.h>
#include <stdio.h>

enum { N = 40 };
static double a[N];

int main(void)
{
  int last = 0;
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma acc data copy(a)
  {
#pragma acc parallel present(a)
    {
      a[0] = 5;
    }
#pragma acc serial copy(last)
    {
      a[0] += a[N - 1];
      if (a[1] > 0)
        a[2] = a[1] * 100;
      last = 7;
    }
#pragma acc kernels
    {
      a[3] = sqrt(a[4]);
    }
  }
  printf("%g %g %g %d\n", a[0], a[2], a[3], last);
  return 0;
}
