/* Two loops by fronts, in a loop that has something beside them, too. */
#include "../../middle/programs/middle.h"

#define N 71
static int p[N][N], d[N];

static void fill(void)
{
  FILL2(p);
  for (int i = 0; i < N; i++)
    d[i] = i;
}

static unsigned long passed_on(int times, int m, int n)
{
#pragma acc kernels
  for (int k = 0; k < times; k++) {
    for (int i = 1; i < m; i++)
      for (int j = 1; j < n; j++)
        p[i][j] = (p[i - 1][j] + p[i][j - 1] * 5 + d[k]) & 4095;
    d[k + 1] = (p[m - 1][n - 1] + d[k]) & 1023;
  }
  return DIGEST(p) ^ DIGEST(d);
}

int main(void)
{
  DEVICE(passed_on(3, N, N - 2));
  DEVICE(passed_on(2, 2, 2));
  EMPTY(passed_on(0, N, N));
  return 0;
}
