/* Pieces of arrays: tiles, with all their borders, must stay inside of what the data clauses sent. */
#include "../../middle/programs/middle.h"

#define N 60
static float a[N][N], b[N][N], c[N][N];
static int line[N * 7], copy[N * 7];

static void fresh(void)
{
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL(line);
  FILL(copy);
}

static unsigned long done(void)
{
  return DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(c) * 5 ^ DIGEST(line) * 7 ^ DIGEST(copy) * 11;
}

/* rows first to last of a and columns of b, in strips */
static unsigned long product(int first, int last, int m)
{
  const int rows = last - first;
  fresh();
#pragma acc kernels loop copyin(a[first:rows][0:m], b[0:m]) copy(c[first:rows])
#pragma acc share(a[TB_Y][*], b[*][TB_X])
  for (int i = first; i < last; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < m; k++)
        c[i][j] += a[i][k] * b[k][j];
  return done();
}

/* borders that end where the section ends; its corners are never read */
static unsigned long cross(int first, int last)
{
  const int rows = last - first;
  fresh();
#pragma acc kernels loop copyin(a[first - 1:rows + 2]) copy(b[first:rows])
  for (int i = first; i < last; i++)
    for (int j = 1; j < N - 1; j++)
      b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] * a[i][j + 1];
  return done();
}

static unsigned long pieces(int first, int last)
{
  fresh();
#pragma acc kernels loop copyin(line[first - 2:last - first + 5]) copy(copy[first:last - first])
  for (int i = first; i < last; i++)
    copy[i] = line[i - 2] + line[i] + line[i + 2];
#pragma acc kernels loop copyin(line[2 * first:2 * (last - first)]) copy(copy[first:last - first])
  for (int i = first; i < last; i++)
    copy[i] -= line[2 * i] - line[2 * i + 1];
  return done();
}

/* rows that are walked in place, and columns that are stored by strips; the host keeps its parts */
static unsigned long in_place(int first, int last, int m)
{
  const int rows = last - first;
  fresh();
#pragma acc kernels loop copy(a[first:rows])
  for (int i = first; i < last; i++)
    for (int k = 1; k < m; k++)
      a[i][k] += a[i][k - 1];
#pragma acc kernels loop copy(c[first:rows]) copyin(b[0:N][first:rows])
  for (int j = 0; j < m; j++)
    for (int k = first; k < last; k++)
      c[k][j] -= b[j][k];
  return done();
}

/* triangles: of the last rows only few elements are there */
static unsigned long triangle(int n, const float *restrict p, float *restrict q)
{
#pragma acc kernels loop copyin(p[0:n * n - n]) copy(q[0:n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < i; k++)
        q[i * n + j] += p[k * n + j];
  return digest(0, q, sizeof(float) * n * n);
}

/* data that stays on the device while the host changes what it has */
static unsigned long resident(int steps, int n)
{
  fresh();
#pragma acc data copyin(a[0:n]) copy(c[0:n])
  {
    for (int t = 0; t < steps; t++) {
#pragma acc kernels loop present(a, c)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < N; j++)
          for (int k = 0; k < N; k++)
            c[i][j] += a[i][k] * (k - t) - a[i][j];
    }
  }
  return done();
}

int main(void)
{
  static float p[48 * 48], q[48 * 48];
  FILL(p);
  FILL(q);
  DEVICE(product(0, N, N));
  DEVICE(product(3, 38, 33));
  DEVICE(product(N - 1, N, N));
  DEVICE(product(8, 9, 1));
  DEVICE(cross(1, N - 1));
  DEVICE(cross(9, 17));
  DEVICE(cross(N - 2, N - 1));
  DEVICE(pieces(2, 100));
  DEVICE(pieces(37, 45));
  DEVICE(in_place(0, N, N));
  DEVICE(in_place(13, 36, 50));
  DEVICE(triangle(48, p, q));
  DEVICE(triangle(33, p, q));
  DEVICE(resident(3, N));
  DEVICE(resident(2, 9));
  return 0;
}
