/* Tables over intervals, whose entries combine what shorter ones hold: they run in squares. */
#include "../../middle/programs/middle.h"

#define N 200
static int t[N][N], c[N][N];
static unsigned u[N][N];
static float f[N][N];
static short w[N];

static void fill(void)
{
  FILL2(t);
  FILL2(c);
  FILL2(u);
  FILL2(f);
  FILL(w);
}

/* the greatest of numbers has no order, wherever they come from */
static unsigned long folded(int n)
{
  fill();
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      t[i][j] = t[i][j] >= t[i][j - 1] ? t[i][j] : t[i][j - 1];
      if (i + 1 < n)
        t[i][j] = t[i][j] >= t[i + 1][j - 1] + (w[i] == -w[j]) ? t[i][j] : t[i + 1][j - 1] + (w[i] == -w[j]);
      for (int k = i + 1; k < j; k++)
        t[i][j] = t[i][j] >= t[i][k] + t[k + 1][j] ? t[i][j] : t[i][k] + t[k + 1][j];
    }
  return DIGEST(t);
}

/* what an entry begins with comes before all of it, what is added afterwards behind */
static unsigned long searched(int n)
{
  fill();
#pragma acc kernels
  for (int i = n - 2; i > 0; i--)
    for (int j = i + 1; j <= n - 1; j++) {
      t[i][j] = 1 << 20;
      for (int k = i; k < j; k++)
        if (t[i][k] + c[k + 1][j] + w[k] * w[i] < t[i][j])
          t[i][j] = t[i][k] + c[k + 1][j] + w[k] * w[i];
      t[i][j] += w[j];
      c[i][j] = t[i][j] - j;
    }
  return DIGEST(t) ^ DIGEST(c);
}

/* rows go down, columns to the left, and sums are of numbers that have no sign */
static unsigned long counted(int n)
{
  fill();
#pragma acc kernels
  for (int i = 1; i < n; i++)
    for (int j = i - 1; j >= 0; j--)
      for (int k = j + 1; k < i; k++)
        u[i][j] += u[i][k] * u[k][j];
  return DIGEST(u);
}

/* numbers with fractions have a greatest one in any order */
static unsigned long rated(int n)
{
  fill();
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 2; j < n; j++)
      for (int k = i + 1; k < j; k++)
        f[i][j] = f[i][k] * 0.5f + f[k][j] > f[i][j] ? f[i][k] * 0.5f + f[k][j] : f[i][j];
  return DIGEST(f);
}

/* sums of them have an order, and no squares */
static unsigned long summed(int n)
{
  fill();
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 2; j < n; j++)
      for (int k = i + 1; k < j; k++)
        f[i][j] += f[i][k] * 0.01f * f[k][j];
  return DIGEST(f);
}

int main(void)
{
  DEVICE(folded(N));
  DEVICE(folded(N - 7));
  DEVICE(folded(65));
  DEVICE(folded(2));
  EMPTY(folded(1));
  EMPTY(folded(0));
  DEVICE(searched(N));
  DEVICE(searched(139));
  EMPTY(searched(2));
  DEVICE(counted(N));
  DEVICE(counted(130));
  DEVICE(rated(N));
  HOST(summed(N));
  return 0;
}
