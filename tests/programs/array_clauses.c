// Clauses over whole arrays: a reduction is made in one piece each time, a changing firstprivate array stays on the host.
// prints: 45 90 10 90
// launches: 1
#include <stdio.h>

enum { N = 10 };
static int a[N];

int main(void)
{
  int sums[2] = {0, 0}, own[N] = {0}, out[N];
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma acc parallel loop reduction(+ : sums)
  for (int i = 0; i < N; i++) {
    sums[0] += a[i];
    sums[1] += 2 * a[i];
  }
#pragma acc parallel loop firstprivate(own)
  for (int i = 0; i < N; i++) {
    own[0] = i;
    out[i] = own[0] + own[1] + 1;
  }
  printf("%d %d %d %d\n", sums[0], sums[1], out[N - 1], sums[1]);
  return 0;
}
