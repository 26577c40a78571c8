// One array in three segments: constant multiples of n are no rows, so nothing has to be checked.
// prints: 64750
// launches: 1
#include <stdio.h>

static long long n = 100;
static double d[300];

int main(void)
{
  double *p = d, sum = 0;
  for (int i = 0; i < 300; i++)
    d[i] = i;
#pragma acc parallel loop copy(p[0:3 * n])
  for (int x = 0; x < n; x++)
    p[2 * n + x] += p[x] + p[n + x];
  for (int i = 0; i < 300; i++)
    sum += d[i];
  printf("%g\n", sum);
  return 0;
}
