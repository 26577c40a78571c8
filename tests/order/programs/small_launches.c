/* Kernels whose small launches have another one: work-items share the inner loop where there are too few iterations
   outside for all compute units. Results must be those of the loops as they stand. */
#include "../../middle/programs/middle.h"

#define MANY 4200
#define N 34
static int x[MANY], y[MANY], z[MANY], w[N], p[N], A[333][N], T[N][333];

/* nothing moves along memory but with the loop that is shared, or with the one outside */
static unsigned long weighted(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    y[i] = z[i] = i;
    for (int j = 0; j < n; j++) {
      int both = w[j] * x[i] + p[j];
      y[i] += both ^ w[j];
      z[i] += both & 255;
    }
  }
  return DIGEST(y) + DIGEST(z) * 3;
}

/* one array along each of them; several launches, and what the second one reads is the first one's */
static unsigned long either_way(int m, int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < m; i++) {
      int s = 0;
      for (int j = 0; j < n; j++)
        s += A[i][j] ^ T[j][i];
      y[i] = s;
    }
    for (int i = 1; i < m; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += y[i - 1] + T[j][i];
  }
  return DIGEST(y) + DIGEST(A) * 3;
}

/* launches of a loop on the host, fewer iterations each time */
static unsigned long shrinking(int m, int n)
{
#pragma acc kernels
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < m - t * 200; i++) {
      y[i] = i;
      for (int j = 0; j < n; j++)
        y[i] += (w[j] * x[i] + p[j]) ^ w[j];
    }
    for (int i = 0; i < m; i++)
      x[i] = y[m - 1 - i] & 63;
  }
  return DIGEST(x) + DIGEST(y) * 3;
}

int main(void)
{
  FILL(x);
  FILL(y);
  FILL(z);
  FILL(w);
  FILL(p);
  FILL2(A);
  FILL2(T);
  DEVICE(weighted(11, N));
  DEVICE(weighted(MANY, 3));
  DEVICE(weighted(3800, 3));
  DEVICE(weighted(4000, 0));
  DEVICE(weighted(4, 0));
  EMPTY(weighted(0, N));
  DEVICE(either_way(11, N));
  DEVICE(either_way(333, N));
  DEVICE(shrinking(MANY, 5));
  DEVICE(shrinking(500, N));
  return 0;
}
