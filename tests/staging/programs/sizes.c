/* Few kernels at many sizes: smaller than a tile, one more and one less than tiles, and loops of no iteration. */
#include "../../middle/programs/middle.h"

#define N 67
static float a[N][N], b[N][N], c[N][N];
static double image[N][N], blurred[N][N];

static unsigned long product(int n, int m)
{
  FILL2(a);
  FILL2(b);
  FILL2(c);
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < m; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] -= sum;
    }
  return DIGEST(c);
}

static unsigned long blur(int n)
{
  FILL2(image);
  FILL2(blurred);
#pragma acc kernels loop
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      blurred[i][j] = image[i - 1][j] + image[i][j - 1] + image[i][j] + image[i][j + 1] + image[i + 1][j];
  return DIGEST(blurred);
}

int main(void)
{
  DEVICE(product(N, N));
  DEVICE(product(33, 31));
  DEVICE(product(5, 1));
  DEVICE(product(5, 0));
  EMPTY(product(0, 5));
  DEVICE(blur(N));
  DEVICE(blur(34));
  DEVICE(blur(3));
  EMPTY(blur(2));
  return 0;
}
