// prints: 300
// prints: 50
// prints: 23 120 9
// launches: 2
//
// A loop that is worth vectors stands in another one that says how long it is: whether it is long enough can't be asked
// before both. And two elements of one array that stay where they are all through a loop have a register each, those of
// loops inside, too.

#include <stdio.h>

static void sums(int n, int m, int w, int B[restrict w][w], int C[restrict w][w], int *restrict y, short *restrict L)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    y[i] += 1;
    for (int j = m; j-- > 0;) {
      for (int k = 0; k < j + 1; k++)
        L[i * w + i] += B[i][k];
      y[i] += C[j][j];
    }
  }
}

static void neighbours(int n, int m, int w, short *restrict L, const short *restrict x)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    for (int l = 0; l < m; l++) {
      L[i * w] += 6;
      L[i * w + 2] = x[l];
      for (int k = 0; k < m; k++)
        L[i * w + 1] += x[k];
    }
}

int main(void)
{
  static int B[30][30], C[30][30], y[30];
  static short L[30 * 30];
  for (int i = 0; i < 30; i++)
    for (int k = 0; k < 30; k++)
      B[i][k] = C[i][k] = 1;
  sums(24, 24, 30, B, C, y, L);
  printf("%d\n%d\n", L[2 * 30 + 2], y[1] + y[23]);
  static short x[4] = {7, 7, 7, 9}, rows[9 * 4];
  for (int i = 0; i < 9; i++)
    rows[i * 4] = -1;
  neighbours(9, 4, 4, rows, x);
  printf("%d %d %d\n", rows[8 * 4], rows[8 * 4 + 1], rows[8 * 4 + 2]);
  return 0;
}
