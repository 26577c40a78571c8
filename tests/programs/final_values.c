// Iterators that are read behind their loops, in the region and after it.
// prints: 40 41 -1 39 42 4294967295 9 40 820 3
// launches: 7
#include <stdio.h>

#define N 40
static int a[N + 3], ends[N];
static double sums[N];

int main(void)
{
  int i, j, k, n = N, none = 9;
  unsigned down;
  long all = 0;
#pragma acc kernels
  {
    for (i = 0; i < n; i++)
      a[i] = i + 1;
    a[i] = -1;
    a[i + 1] = i;
  }
  printf("%d %d %d %d", i, a[i] + a[i - 1] + 2, a[N], a[i - 2]);
#pragma acc kernels
  {
    for (i = 0; i <= n; i += 3)
      a[i % N] += 1;
    j = i;
    for (down = n; down-- > 0;)
      a[down] -= 1;
    for (k = 7; k < none; k++)
      a[k] = 0;
  }
  printf(" %d %u %d", j, down, k);
#pragma acc parallel loop private(i, k)
  for (j = 0; j < N; j++) {
    for (i = 0; i < j; i++)
      sums[j] += i;
    ends[j] = i;
    for (k = 1; k < 100; k *= 2)
      if (k > j)
        break;
    for (i = 9; i > j; i -= 2)
      sums[j] += 0;
    sums[j] += i * 0 + k * 0;
  }
  for (int m = 0; m < N; m++)
    all += ends[m] + 1;
  printf(" %d %ld", ends[N - 1] + 1, all);
#pragma acc kernels
  for (i = 0; i < 3; i++)
    ends[i] = 2 * i;
  printf(" %d\n", i);
  return 0;
}
