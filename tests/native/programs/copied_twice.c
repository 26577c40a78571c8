// A sweep that changes two arrays which it reads behind where it is: both are copied, one beside the other.
// prints: 14733450399814569841
// launches: 77
// plainly launches: 483
#include <stdio.h>

enum { N = 64, STEPS = 7 };

static unsigned a[N][N], b[N][N];
static unsigned x[N][N], y[N][N], z[N][N];

static void whole(int n, int steps, unsigned C[restrict n][n], unsigned B[restrict n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 2; i < n - 1; i++)
      for (int j = 2; j < n - 1; j++)
        B[i][j] = (C[i][j] + 1) & 1023;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 2; j++) {
        C[i][j] = (C[i][j + 1] + B[i][j] + B[i][j + 1] - t) & 1023;
        B[i][j] = (C[i + 1][j + 1] - t) & 1023;
      }
  }
}

static void chosen(int n, int steps, unsigned A[restrict n][n], unsigned B[restrict n][n], unsigned C[restrict n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 2; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        C[i][j] = (C[i + 1][j - 1] + A[i - 1][j] + C[i][j] + i) & 1023;
        A[i][j] = (A[i][j + 1] + B[i - 1][j + 1] + C[i][j + 1]) & 1023;
      }
    for (int i = 1; i < n - 2; i++)
      for (int j = 1; j < n - 1; j++) {
        unsigned found = C[i][j - 1];
        if (i < t)
          found = C[i + 1][j - 1];
        A[i][j] = found + 1;
      }
  }
}

/* the first row and column of a sweep by columns are set apart, beside a copy */
static void apart(int rows, int columns, int steps, unsigned f[N][N], unsigned u[N][N], unsigned next[N][N])
{
  for (int pass = 0; pass < 1; pass++) {
#pragma acc kernels loop
    for (int t = 0; t < steps; t++) {
      for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
          u[i][j] = next[i][j];
      for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
          if (j == 0 || i == 0)
            next[i][j] = f[i][j];
          else
            next[i][j] = (u[i][j - 1] + u[i - 1][j]) & 1023;
    }
  }
}

int main(void)
{
  static unsigned f[N][N], u[N][N], next[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i * j % 7, b[i][j] = i + j;
      x[i][j] = i * j % 7, y[i][j] = i + j, z[i][j] = i + 2 * j;
      f[i][j] = i + 2 * j, next[i][j] = i * j % 5;
    }
  whole(N, STEPS, a, b);
  chosen(N, STEPS, x, y, z);
  apart(N, N, STEPS, f, u, next);
  unsigned long sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum = sum * 3 + a[i][j] + 5 * b[i][j] + 7 * x[i][j] + 11 * z[i][j] + 13 * next[i][j] + u[i][j];
  printf("%lu\n", sum);
  return 0;
}
