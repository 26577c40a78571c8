// An allocated array that is private: how long it is, isn't known before the program runs, so the loop stays on the host,
// and what is inside of it where that can be native kernels doesn't.
// prints: 294 296 298 300
// launches: 0
// natively launches: 8
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  int n = 50;
  double *a = malloc(4 * n * sizeof *a), *own = calloc(n, sizeof *own), d[4] = {0};
  for (int i = 0; i < 4 * n; i++)
    a[i] = i % 7;
#pragma acc parallel private(own[0:n])
  {
#pragma acc loop gang
    for (int x = 0; x < 4; x++) {
#pragma acc loop worker
      for (int y = 0; y < n; y++)
        own[y] = a[x * n + y] * 2;
#pragma acc loop seq
      for (int y = 0; y < n; y++)
        d[x] += own[y];
    }
  }
  printf("%g %g %g %g\n", d[0], d[1], d[2], d[3]);
  free(a), free(own);
  return 0;
}
