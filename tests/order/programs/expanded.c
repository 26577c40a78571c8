/* Scalars and small arrays that iterations use one after the other, and which of them get one each. */
#include "../../middle/programs/middle.h"

#define N 37
static float A[9][N][N], C[N][N], D[N][N], sum[N], x[N], y[N], z[N], last;

/* a product of each layer, once the rows of it have sums of their own */
static unsigned long rows(int nr, int nq, int np)
{
#pragma acc kernels
  for (int r = 0; r < nr; r++)
    for (int q = 0; q < nq; q++) {
      for (int p = 0; p < np; p++) {
        sum[p] = 0;
        for (int s = 0; s < np; s++)
          sum[p] += A[r][q][s] * C[s][p];
      }
      for (int p = 0; p < np; p++)
        A[r][q][p] = sum[p] / 64;
    }
  return DIGEST(A) ^ DIGEST(sum);
}

static unsigned long through(int m, int n, float (*a)[n], const float (*restrict c)[n], float *s)
{
#pragma acc kernels copy(a[0:m][0:n], s[0:n]) copyin(c[0:n][0:n])
  for (int q = m - 1; q >= 0; q--) {
    for (int p = 2; p < n; p++) {
      s[p] = q;
      for (int k = 0; k < n; k++)
        s[p] += a[q][k] * c[k][p];
    }
    for (int p = 2; p < n; p++)
      a[q][p] = s[p] / 64;
  }
  return DIGEST(A) ^ DIGEST(sum);
}

/* z needs its own loop, and t in it */
static unsigned long scalar(int m, int n)
{
  float t;
#pragma acc kernels
  for (int i = 3; i < m; i++) {
    t = x[i] * 2 + x[i - 1];
    z[i] = z[i - 1] / 4 + t;
    for (int j = 0; j < n; j++)
      D[i][j] = C[i][j] * t;
  }
  return DIGEST(z) ^ DIGEST(D);
}

static unsigned long used_later(int m, int n)
{
  float t = 7;
#pragma acc kernels
  for (int i = m - 1; i > 0; i--) {
    t = x[i] - i;
    z[i - 1] = z[i] / 4 + t;
    for (int j = 0; j < i; j++)
      D[i][j] = C[j][i] + t;
  }
  last = t;
  return DIGEST(z) ^ DIGEST(D) ^ DIGEST(last);
}

static unsigned long declared_inside(int m, int n)
{
#pragma acc kernels
  for (int i = 1; i < m; i++) {
    float t = y[i] / 2, u = t * x[i];
    z[i] = z[i - 1] / 2 + u;
    for (int j = 0; j < n; j++)
      D[i][j] -= C[i][j] * t;
  }
  return DIGEST(z) ^ DIGEST(D);
}

/* rows that are done at the same time anyway make one product */
static unsigned long own_rows(int m, int n)
{
#pragma acc kernels
  for (int i = 1; i < m; i++) {
    float row[N];
    for (int j = 0; j < n; j++) {
      row[j] = i;
      for (int k = 0; k < n; k++)
        row[j] += C[i - 1][k] * A[0][k][j] / 64;
    }
    for (int j = 0; j < n; j++)
      D[i][j] = row[j];
  }
  return DIGEST(D);
}

/* what has to wait anyway gains nothing */
static unsigned long solved(int n)
{
  float w;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) {
      w = y[i];
      for (int j = 0; j < i; j++)
        w -= C[i][j] * x[j] / 4096;
      x[i] = w / 3;
    }
    for (int j = 0; j < n; j++)
      D[0][j] = x[j];
  }
  return DIGEST(x) ^ DIGEST(D);
}

/* the last row has no more than some of what others leave */
static unsigned long shrinking(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n - i; j++) {
      sum[j] = i;
      for (int k = 0; k < n; k++)
        sum[j] += D[i][k] * C[k][j];
    }
    for (int j = 0; j < n - i; j++)
      D[i][j] = sum[j] / 32;
  }
  return DIGEST(D) ^ DIGEST(sum);
}

/* what one iteration leaves, another one reads */
static unsigned long kept(int m, int n)
{
  float t = 1;
#pragma acc kernels
  for (int i = 1; i < m; i++) {
    if (x[i] > 0)
      t = x[i];
    z[i] = z[i - 1] / 4 + t;
    for (int j = 0; j < n; j++) {
      sum[j] += D[i][j] / 4;
      C[i][j] = sum[j] * t;
    }
  }
  return DIGEST(z) ^ DIGEST(sum) ^ DIGEST(C);
}

int main(void)
{
  for (int r = 0; r < LENGTH(A); r++)
    FILL2(A[r]);
  FILL2(C);
  FILL2(D);
  FILL(sum);
  FILL(x);
  FILL(y);
  FILL(z);
  DEVICE(rows(9, N, N));
  DEVICE(rows(3, 2, 1));
  EMPTY(rows(3, 0, N));
  EMPTY(rows(0, 5, N));
  DEVICE(through(N, N, A[1], C, sum));
  DEVICE(through(1, 3, (float (*)[3])A[2], (const float (*)[3])C, sum));
  EMPTY(through(4, 2, (float (*)[2])A[2], (const float (*)[2])C, sum));
  HOST(through(9, N, A[0], C, &A[0][5][1]));
  DEVICE(scalar(N, N - 1));
  DEVICE(scalar(4, 1));
  EMPTY(scalar(3, N));
  DEVICE(used_later(N, N));
  EMPTY(used_later(1, N));
  DEVICE(declared_inside(N, 19));
  DEVICE(declared_inside(5, 0));
  DEVICE(own_rows(N, N));
  DEVICE(own_rows(2, 1));
  DEVICE(solved(N));
  DEVICE(shrinking(N - 3, N));
  DEVICE(kept(N, N));
  return 0;
}
