/* As little as is worth it in parts, for a simulator. */
#include "../../middle/programs/middle.h"

#define N 44000
static int a[3][N], sums[3], most[3];

static unsigned long rows(int m)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    int sum = sums[i], top = -99;
    for (int k = 0; k < N; k++) {
      sum += a[i][k];
      top = a[i][k] > top ? a[i][k] : top;
    }
    sums[i] = sum;
    most[i] = top;
  }
  return DIGEST(sums) ^ DIGEST(most) * 3;
}

int main(void)
{
  FILL2(a);
  FILL(sums);
  DEVICE(rows(3));
  return 0;
}
