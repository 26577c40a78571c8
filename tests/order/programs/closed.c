/* Tables over intervals in floating-point numbers, combined by `x >= y ? x : y`, which forgets what came before a NaN
   and keeps one of two zeros: they run in squares where nothing that they begin with leads to either. */
#include <math.h>
#include <string.h>
#include "../../middle/programs/middle.h"

#define MAX(a, b) ((a) >= (b) ? (a) : (b))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))
#define HUGE_ 3e38f

#define N 150
static float f[N][N], size[N];
static double d[N][N], cost[N][N];
static char w[N];

/* with `put` in one element, wherever that is */
static void fill(int i, int j, double put)
{
  FILL(w);
  for (int r = 0; r < N; r++) {
    size[r] = 1 + w[r] * w[r] % 7;
    for (int c = 0; c < N; c++) {
      d[r][c] = f[r][c] = (r * 7 + c * 3) % 11 - 4;
      cost[r][c] = -((r * 5 + c) % 13);
    }
  }
  f[i][j] = (float)put;
  d[i][j] = put;
}

/* folding: sums of what lies side by side, of pairs, and of neither */
static unsigned long folded(int n, int i, int j, double put)
{
  fill(i, j, put);
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      f[i][j] = MAX(f[i][j], f[i][j - 1]);
      if (i + 1 < n)
        f[i][j] = MAX(f[i][j], f[i + 1][j - 1] + (w[i] == -w[j] ? 1 : 0));
      for (int k = i + 1; k < j; k++)
        f[i][j] = MAX(f[i][j], f[i][k] + f[k + 1][j]);
    }
  return DIGEST(f);
}

/* parsing: a table begins with the least number there is, and a number is passed, too */
static unsigned long parsed(int n, int i, int j, double put, double rule)
{
  fill(0, 0, 0);
  cost[i][j] = put;
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      d[i][j] = -INFINITY;
      for (int k = i; k < j; k++)
        d[i][j] = MAX(d[i][j], cost[i][k] + cost[k + 1][j] + rule);
      cost[i][j] = MAX(cost[i][j], d[i][j]);
    }
  return DIGEST(d) ^ DIGEST(cost);
}

/* products of many matrices: what is written first is not looked at, sizes are */
static unsigned long multiplied(int n, int i, float put)
{
  fill(0, 0, 0);
  size[i] = put;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      f[i][i] = 0;
    for (int i = n - 1; i >= 0; i--)
      for (int j = i + 1; j < n - 1; j++) {
        f[i][j] = INFINITY;
        for (int k = i; k < j; k++)
          f[i][j] = MIN(f[i][j], f[i][k] + f[k + 1][j] + size[i] * size[k + 1] * size[j + 1]);
      }
  }
  return DIGEST(f);
}

/* differences are no NaN where nothing is below 0, which is not so here */
static unsigned long subtracted(int n)
{
  fill(0, 0, 0);
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        f[i][j] = MAX(f[i][j], f[i][k] - f[k][j]);
  return DIGEST(f);
}

int main(void)
{
  DEVICE(folded(N, 0, 0, 1));
  DEVICE(folded(131, 5, 90, HUGE_));  /* sums are INFINITY */
  DEVICE(folded(N, 5, 90, -HUGE_));   /* and -INFINITY, which is nowhere the greatest */
  DEVICE(folded(N, 5, 90, INFINITY));
  DEVICE(folded(N, 9, 4, NAN));       /* below the diagonal, where nothing is read */
  DEVICE(folded(65, 65, 80, NAN));
  DEVICE(folded(65, 64, 65, -0.0));
  HOST(folded(N, 5, 90, NAN));
  HOST(folded(N, 140, 149, NAN));
  HOST(folded(N, 7, 6, NAN));         /* the place of a pair of neighbours */
  HOST(folded(N, 5, 90, -NAN));
  HOST(folded(N, 5, 90, -0.0));
  HOST(folded(N, 0, 0, -0.0));
  HOST(folded(N, 149, 149, -INFINITY));
  DEVICE(folded(2, 0, 0, 1));
  EMPTY(folded(1, 0, 0, NAN));
  EMPTY(folded(0, 0, 0, NAN));
  DEVICE(parsed(N, 3, 70, -7, -1));
  DEVICE(parsed(N, 3, 70, INFINITY, -1e308));
  HOST(parsed(N, 3, 70, -INFINITY, -1));
  HOST(parsed(N, 3, 70, NAN, -1));
  HOST(parsed(N, 3, 70, -0.0, -1));
  HOST(parsed(N, 3, 70, -7, NAN));
  HOST(parsed(N, 3, 70, -7, -0.0));
  DEVICE(multiplied(N, 0, 3));
  DEVICE(multiplied(N, 0, HUGE_));
  DEVICE(multiplied(N, 0, 1e-45f));
  HOST(multiplied(N, 149, 0));
  HOST(multiplied(N, 0, -1));
  HOST(multiplied(N, 70, INFINITY));
  HOST(multiplied(N, 70, NAN));
  HOST(multiplied(N, 70, -0.0f));
  HOST(subtracted(N));
  return 0;
}
