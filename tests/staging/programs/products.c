/* Strips: products of matrices, of triangles, of tensors and of what pointers point to. */
#include "../../middle/programs/middle.h"

#define N 70
static float a[N][N], b[N][N], c[N][N], d[N][N];
static double x[N], y[N], z[N];
static long cube[21][22][23], other[21][22][23];

static void fresh(void)
{
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL2(d);
  FILL(x);
  FILL(y);
  FILL(z);
  for (int k = 0; k < 21; k++) {
    FILL2(cube[k]);
    FILL2(other[k]);
  }
}

static unsigned long done(void)
{
  return DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(c) * 5 ^ DIGEST(d) * 7 ^ DIGEST(x) ^ DIGEST(y) * 11 ^ DIGEST(z) * 13 ^
         DIGEST(other) * 17;
}

/* every combination of transposed operands; the sum in a scalar, and in the element itself */
static unsigned long matrices(int m, int n, int l)
{
  fresh();
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < l; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] += sum;
    }
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l; k++)
        d[i][j] += a[k][i] * b[j][k];
  return done();
}

/* one array by two rows, and by a row and a column */
static unsigned long with_itself(int n, int m)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++)
          c[i][j] += a[i][k] * a[j][k];
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        for (int k = 0; k < m; k++)
          d[i][j] += a[i][k] * b[j][k] + b[i][k] * a[k][j];
  }
  return done();
}

static unsigned long triangles(int n)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k <= i; k++)
          c[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = j + 1; k < n; k++)
          d[i][j] -= a[i][k] * b[k][j];
  }
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      for (int k = j; k < i; k++)
        c[i][j] += d[i][k] * b[k][j];
  return done();
}

static int least(int a, int b) { return a < b ? a : b; }

/* bounds that are the least or greatest of two, halves, and conditions on the iterator */
static unsigned long bounds(int n, int m, int l)
{
  const int end = least(m, l);
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        for (int k = 0; k < (i < m ? i : m); k++)
          c[i][j] += a[i][k] * b[k][j];
        for (int k = n / 2; k < n; k++)
          c[i][j] += a[i][k] * b[k][j];
      }
    for (int i = 0; i < n / 2; i++)
      for (int j = 0; j < n; j++)
        for (int k = l; k < end + 9 && k < n; k++)
          if (k > j && k != 20)
            d[i][j] += a[2 * i][k] - b[k][j];
    for (int i = 0; i < n / 2; i++)
      for (int j = 0; j < n / 2; j++)
        for (int k = 0; k < n / 3; k++)
          d[2 * i + 1][j] += a[i + j][3 * k] + b[2 * i][k + 1];
  }
  return done();
}

/* vectors: each row in strips, columns, and both in one kernel */
static unsigned long vectors(int m, int n)
{
  fresh();
#pragma acc kernels
  {
    for (int i = 0; i < m; i++) {
      double sum = 1;
      for (int k = 0; k < n; k++)
        sum += a[i][k] * x[k];
      y[i] = sum;
    }
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        z[j] += a[k][j] * y[k];
    for (int i = 0; i < m; i++) {
      double up = 0, down = 0;
      for (int k = 0; k <= i && k < n; k++)
        up += b[i][k] * x[k];
      for (int k = i; k < n; k++)
        down += b[i][k] * x[k];
      x[i] = up - down;
    }
  }
  return done();
}

static unsigned long tensors(int l, int m, int n)
{
  fresh();
#pragma acc kernels
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++)
        for (int s = 0; s < n; s++)
          other[i][j][k] += cube[i][j][s] * (int)a[s][k];
#pragma acc kernels
  for (int i = 0; i < l; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int r = 0; r < m; r++)
        for (int s = 0; s < n; s++)
          sum += cube[i][r][s] * b[s][j] - cube[i][r][j];
      c[i][j] = sum;
    }
  return done();
}

/* arrays whose shape is known at run time, and pointers with rows of n */
static unsigned long shaped(int m, int n, int l, int a[m][l], int b[l][n], int c[m][n])
{
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
  return digest(0, c, sizeof(int[m][n]));
}

static unsigned long pointers(int m, int n, int l, const int *restrict a, const int *restrict b, int *restrict c)
{
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int k = 0; k < l; k++)
        sum += a[i * l + k] * b[k * n + j] + b[k * n + i % 2];
      c[i * n + j] += sum;
    }
  return digest(0, c, sizeof(int) * m * n);
}

/* a strip loop between other statements, two side by side, and one around a short loop */
static unsigned long imperfect(int n, int m)
{
  fresh();
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float one = a[i][j], two = 0;
      d[i][j] = 3;
      for (int k = 0; k < m; k++)
        one += a[i][k] * b[k][j];
      two = one + d[i][j];
      for (int k = 0; k < m; k++)
        two -= b[i][k] * a[k][j];
      c[i][j] = one - two;
    }
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float best = -1000;
      for (int k = 0; k < m; k++) {
        float sum = 0;
        for (int e = 0; e < 3; e++)
          sum += a[i][k] * b[k][(j + e) / 3] + a[i][e];
        if (sum > best)
          best = sum;
      }
      d[i][j] += best;
    }
  return done();
}

int main(void)
{
  static int p[64 * 64], q[64 * 64], r[64 * 64];
  FILL(p);
  FILL(q);
  FILL(r);
  DEVICE(matrices(N, N, N));
  DEVICE(matrices(5, N, 33));
  DEVICE(matrices(N, 3, 1));
  DEVICE(matrices(N, 3, 0));
  EMPTY(matrices(0, 3, 9));
  DEVICE(with_itself(N, N));
  DEVICE(with_itself(33, 65));
  DEVICE(with_itself(1, 1));
  DEVICE(triangles(N));
  DEVICE(triangles(32));
  DEVICE(triangles(2));
  DEVICE(bounds(N, 40, 33));
  DEVICE(bounds(37, 3, 2));
  DEVICE(bounds(1, 0, 0));
  DEVICE(vectors(N, N));
  DEVICE(vectors(41, 66));
  DEVICE(vectors(2, 1));
  DEVICE(tensors(21, 22, 22));
  DEVICE(tensors(3, 2, 1));
  DEVICE(shaped(64, 64, 64, (void *)p, (void *)q, (void *)r));
  DEVICE(shaped(31, 35, 50, (void *)p, (void *)q, (void *)r));
  DEVICE(pointers(64, 64, 64, p, q, r));
  DEVICE(pointers(31, 35, 50, p, q, r));
  DEVICE(pointers(31, 2, 1, p, q, r));
  DEVICE(imperfect(N, N));
  DEVICE(imperfect(35, 3));
  DEVICE(imperfect(35, 0));
  return 0;
}
