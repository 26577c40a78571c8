/* The greatest of numbers as `x >= y ? x : y` has it, which forgets what came before a NaN: that has an order, unless
   there is none, or -ffast-math takes it away. */
#include "../../middle/programs/middle.h"

#define N 150
static float f[N][N];
static double d[N][N];
static char w[N];

static void fill(void)
{
  FILL(w);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      d[i][j] = f[i][j] = (i * 7 + j * 3) % 11;
}

static unsigned long folded(int n)
{
  fill();
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      f[i][j] = f[i][j] >= f[i + 1][j - 1] + w[j] ? f[i][j] : f[i + 1][j - 1] + w[j];
      for (int k = i + 1; k < j; k++)
        f[i][j] = f[i][j] >= f[i][k] + f[k + 1][j] ? f[i][j] : f[i][k] + f[k + 1][j];
    }
  return DIGEST(f);
}

/* so have sums */
static unsigned long counted(int n)
{
  fill();
#pragma acc kernels
  for (int i = 1; i < n; i++)
    for (int j = i - 1; j >= 0; j--) {
      for (int k = j + 1; k < i; k++)
        d[i][j] -= d[i][k] + d[k][j];
      d[i][j] *= 0.0625;
    }
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      sum += d[i][j] > 0 ? 1 : 0;
  return sum;
}

int main(void)
{
  DEVICE(folded(N - 1));
  DEVICE(folded(66));
  DEVICE(folded(2));
  EMPTY(folded(0));
  DEVICE(counted(N));
  return 0;
}
