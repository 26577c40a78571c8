/* Loops as they come out of a textbook, and where the compiler may and may not change their order. */
#include "../../middle/programs/middle.h"

#define N 70
static float A[N][N], B[N][N], C[N][N], D[N][N], x[N], y[N], z[N];
static int p[N][N], q[N][N], r[N];

static unsigned long product(int m, int n, int k)
{
  int i, j, l;
#pragma acc kernels
  for (i = 0; i < m; i++) {
    for (j = 0; j < n; j++)
      C[i][j] *= 0.75f;
    for (l = 0; l < k; l++)
      for (j = 0; j < n; j++)
        C[i][j] += 1.5f * A[i][l] * B[l][j];
  }
  return DIGEST(C);
}

static unsigned long triangle(int n, int k)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      C[i][j] *= 0.75f;
    for (int l = 0; l < k; l++)
      for (int o = 0; o <= i; o++)
        C[i][o] += A[i][l] * A[o][l] / 3;
  }
  return DIGEST(C);
}

/* the first lines must stay in front of the others, and the last behind them */
static unsigned long correlated(int m, int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < m - 1; i++) {
      D[i][i] = 1;
      for (int j = i + 1; j < m; j++) {
        D[i][j] = 0;
        for (int k = 0; k < n; k++)
          D[i][j] += A[k][i] * A[k][j];
        D[j][i] = D[i][j];
      }
    }
    D[m - 1][m - 1] = 1;
  }
  return DIGEST(D);
}

static unsigned long both_ways(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    x[i] = 0;
    for (int j = 0; j < n; j++) {
      y[j] = y[j] + z[i] * A[i][j];
      x[i] = x[i] + A[i][j] * z[j];
    }
  }
  return DIGEST(x) ^ DIGEST(y);
}

static unsigned long back_and_forth(int m, int n)
{
#pragma acc kernels
  for (int i = m - 1; i >= 0; i -= 2) {
    x[i] = 0;
    for (int j = 0; j < n; j++)
      x[i] += A[i][j] * z[j];
    for (int j = 0; j < n; j++)
      y[j] += A[i][j] * x[i];
  }
  return DIGEST(x) ^ DIGEST(y);
}

static unsigned long symmetric(int m, int n)
{
  float sum;
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      sum = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += B[i][j] * A[i][k] / 5;
        sum += B[k][j] * A[i][k];
      }
      C[i][j] = C[i][j] / 2 + B[i][j] * A[i][i] + sum / 7;
    }
  return DIGEST(C);
}

static unsigned long triangular_factor(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        B[i][j] += A[k][i] * B[k][j] / 64;
      B[i][j] /= 3;
    }
  return DIGEST(B);
}

/* a loop on the host around it all */
static unsigned long in_time(int times, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        p[i][j] = p[i][j] * 3 & 1023;
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          p[i][j] += q[i][k] * r[k] + q[k][j];
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        q[i][j] = p[j][i] & 63;
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* columns that one of the loops leaves alone: they are not the same loops */
static unsigned long other_columns(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n - 1; j++)
      p[i][j] *= 3;
    for (int k = 0; k < n; k++)
      for (int j = 1; j < n; j++)
        p[i][j] += q[i][k] + q[k][j];
  }
  return DIGEST(p);
}

/* an element that the next iteration needs, a value in a scalar, one that an iteration declares, a directive */
static unsigned long as_they_stand(int m, int n)
{
  int s;
#pragma acc kernels
  {
    for (int i = 1; i < m; i++) {
      for (int j = 0; j < n; j++)
        p[i][j] = q[i - 1][j] + 1;
      for (int j = 0; j < n; j++)
        q[i][j] += p[i][n - 1 - j];
    }
    for (int i = 0; i < m; i++) {
      s = r[i] * 2;
      for (int j = 0; j < n; j++)
        p[i][j] += s;
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          q[i][j] += p[i][k] * (s & 7) + B[k][j];
    }
    for (int i = 0; i < m; i++) {
      int own = r[i] + i;
      for (int j = 0; j < n; j++)
        p[i][j] ^= own;
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          q[i][j] += p[i][k] * (own & 3) + A[k][j];
    }
#pragma acc loop seq
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++)
        p[i][j] = p[i][j] & 255;
      for (int k = m; k < n; k++)
        for (int j = 0; j < n; j++)
          p[i][j] += q[i][k] - q[k][j];
    }
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* a neighbour is read before the other loop has changed it */
static unsigned long shifted(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n - 1; j++)
      p[i][j] = p[i][j + 1] - p[i][j];
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n - 1; j++)
        q[i][j] += p[i][k] * r[j] + q[k][n - 1];
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* iterators that count in other types, and one that means something else in the other loop */
static unsigned long named(int m, unsigned n)
{
  int j = 3;
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    for (unsigned o = 0; o < n; o++)
      p[i][o] = (o - 5 > n) * 7;
    for (int k = 0; k < m; k++)
      for (int o = 0; o < (int)n; o++)
        p[i][o] += q[i][k] * r[o] + q[k][o];
  }
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    for (int o = 0; o < m; o++)
      q[i][o] = p[o][i] + j;
    for (int k = 0; k < m; k++)
      for (j = 0; j < m; j++)
        q[i][j] += p[i][k] * p[k][j];
  }
  return DIGEST(p) ^ DIGEST(q);
}

static unsigned long through(int m, int n, int k, float (*a)[N], float (*b)[N], float (*c)[N])
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      c[i][j] /= 2;
    for (int l = 0; l < k; l++)
      for (int j = 0; j < n; j++)
        c[i][j] += a[i][l] * b[l][j] / 64;
  }
  return DIGEST(A) ^ DIGEST(B) ^ DIGEST(C);
}

static unsigned long some(int m, int n, int k)
{
#pragma acc kernels
  for (int i = 0; i < m; i++)
    if (i % 3 != 1) {
      for (int j = 0; j < n; j++)
        if (j != 5)
          C[i][j] = B[j][i];
      for (int l = 0; l < k; l++)
        for (int j = 0; j < n; j++)
          if (l > 2)
            C[i][j] += A[i][l] * B[l][j] / 64;
    }
  return DIGEST(C);
}

/* The user speaks for rows; what is inside of them has the order that suits it. */
static unsigned long promised(int m, int n, int k)
{
#pragma acc parallel loop
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      C[i][j] *= 0.75f;
    for (int l = 0; l < k; l++)
      for (int j = 0; j < n; j++)
        C[i][j] += 1.5f * A[i][l] * B[l][j];
  }
  return DIGEST(C);
}

/* Of both loops that are counted; the column inside is nobody's. */
static unsigned long counted(int m, int n, int k)
{
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < m; i++)
    for (int o = 0; o < 4; o++)
      for (int l = 0; l < k; l++) {
        float old = A[i][l];
        for (int j = 0; j < n; j++)
          D[4 * i + o][j] += old * B[l][j] / 32;
      }
  return DIGEST(D);
}

/* A directive inside is spoken for, too: columns stay where they are. */
static unsigned long spoken(int m, int n, int k)
{
#pragma acc parallel loop
  for (int i = 0; i < m; i++)
    for (int l = 0; l < k; l++)
#pragma acc loop vector
      for (int j = 0; j < n; j++)
        C[i][j] = (C[i][j] + A[i][l] * B[l][j]) / 16;
  return DIGEST(C);
}

int main(void)
{
  FILL2(A);
  FILL2(B);
  FILL2(C);
  FILL2(D);
  FILL(x);
  FILL(y);
  FILL(z);
  FILL2(p);
  FILL2(q);
  FILL(r);
  DEVICE(product(N, N - 1, 33));
  DEVICE(product(1, 13, 0));
  DEVICE(product(3, 1, N));
  EMPTY(product(0, N, N));
  DEVICE(triangle(N, 37));
  DEVICE(triangle(1, 1));
  DEVICE(correlated(N, 9));
  DEVICE(correlated(1, 9));
  DEVICE(both_ways(N - 1, 33));
  DEVICE(both_ways(2, 0));
  DEVICE(back_and_forth(N, N - 3));
  DEVICE(symmetric(41, N));
  DEVICE(triangular_factor(N, 19));
  DEVICE(in_time(3, 23));
  DEVICE(other_columns(21, N));
  DEVICE(as_they_stand(9, 11));
  DEVICE(shifted(17, N));
  DEVICE(named(11, 12));
  DEVICE(through(N, N, N, A, B, C));
  HOST(through(N, N, N, A, C, C));
  HOST(through(N - 9, N, N, C + 3, B, C));
  DEVICE(some(N, N - 2, 21));
  DEVICE(promised(N, N - 1, 33));
  DEVICE(promised(1, 13, 0));
  EMPTY(promised(0, N, N));
  DEVICE(counted(N / 4, N - 1, 21));
  DEVICE(spoken(N - 1, N, 9));
  return 0;
}
