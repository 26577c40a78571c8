// A sum whose range shrinks with loops around it that stay on the host: room for its parts is made once for all.
// prints: 441 94
// launches: 108
#include <stdio.h>

enum { N = 6 };
static int a[N][N], x[N];

int main(void)
{
  int n = N, total = 0, other = 0;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = j; k < n; k++)
        total += k + (i == 3);
      x[j] = total % 5;
      a[i][j] = x[n - 1 - j];
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      other += a[i][j] * j;
  printf("%d %d\n", total % 100000, other);
  return 0;
}
