// A directive outside of any function, and a loop of a routine: neither keeps the regions from running.
// prints: 2 2
// launches: 1
#include <stdio.h>

static int n = 5;
static double x[5];
#pragma acc update device(n)

#pragma acc routine vector
static void further(double *a)
{
#pragma acc loop vector
  for (int i = 0; i < n; i++)
    a[i] += 1;
}

int main(void)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    x[i] += 1;
  further(x);
  printf("%g %g\n", x[0], x[4]);
  return 0;
}
