// Passes over a matrix one after the other go by blocks of 128 rows where it is large: those of a gradient, with scalars that each row has for itself, and
// of a matrix that the first pass changes. Small matrices stay whole, and so do sums that begin inside of the first pass, of which there may be no rows, and
// a first pass that reads what the second one is about to change.
// prints: 80e18fc1 7bf5108b 85ae7bef 107d2a8c 9ef3b0a9 ee2098d8 632b92e5 9be17165 c7bb2e85 4c418b0d 5a9f9355 9ae26ebe df24e948 5746955c
// launches: 192
// plainly launches: 190
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int setenv(const char *, const char *, int);

enum { M = 1027, N = 771 };
static float A[M][N], x[M], y[N], s[N], q[M];

static void transposed(void)
{
#pragma acc kernels
  {
    for (int j = 0; j < N; j++)
      y[j] = 0;
    for (int i = 0; i < M; i++) {
      q[i] = 0;
      for (int j = 0; j < N; j++)
        q[i] += A[i][j] * s[j];
      for (int j = 0; j < N; j++)
        y[j] += A[i][j] * q[i];
    }
  }
}

static void gradient(int n, int d, const double *restrict X, const double *restrict t, const double *restrict w, double *restrict g)
{
#pragma acc kernels
  {
    for (int j = 0; j < d; j++)
      g[j] = 0;
    for (int i = 0; i < n; i++) {
      double z = 0;
      for (int j = 0; j < d; j++)
        z += X[i * d + j] * w[j];
      double r = z / (1 + fabs(z)) - t[i];
      for (int j = 0; j < d; j++)
        g[j] += r * X[i * d + j];
    }
  }
}

static void columns_first(int m, int n)
{
#pragma acc kernels
  {
    for (int j = 0; j < n; j++) {
      y[j] = 1;
      for (int i = 0; i < m; i++)
        y[j] += A[i][j] * x[i];
    }
    for (int i = 0; i < m; i++) {
      q[i] = 1;
      for (int j = 0; j < n; j++)
        q[i] += A[i][j] * s[j];
    }
  }
}

static void changed(int m, int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++)
        A[i][j] = A[i][j] * .5f + x[i];
    for (int i = 1; i < m; i++) {
      q[i] = 0;
      for (int j = 0; j < n; j++)
        q[i] += A[i - 1][j];
    }
  }
}

static void needs_all(int m, int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < m; i++) {
      q[i] = 0;
      for (int j = 0; j < n; j++)
        q[i] += A[i][j] * y[j];
    }
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        y[j] += A[i][j] * q[i];
  }
}

static unsigned hash(const void *p, size_t n)
{
  unsigned h = 2166136261u;
  for (const unsigned char *c = p; n-- > 0; c++)
    h = (h ^ *c) * 16777619u;
  return h;
}

static void filled(void)
{
  for (int i = 0; i < M; i++) {
    x[i] = (i * 7 % 11 - 5) * .25f;
    for (int j = 0; j < N; j++)
      A[i][j] = ((i * 31 + j * 17) % 101 - 50) / 16.f;
  }
  for (int j = 0; j < N; j++)
    s[j] = y[j] = (j * 5 % 13 - 6) / 3.f;
}

static unsigned both(void)
{
  return hash(y, sizeof y) ^ 3 * hash(q, sizeof q);
}

int main(void)
{
  setenv("ACCSHARE_THREADS", "3", 1);  // many cores would have too little to do
  filled();
  transposed();
  printf("%08x", both());

  int sizes[][2] = {{1400, 257}, {257, 1025}, {128, 2100}, {5000, 64}, {40, 30}, {0, 700}, {3, 0}};
  for (int k = 0; k < 7; k++) {
    int n = sizes[k][0], d = sizes[k][1];
    double *X = calloc(n * d + 1, sizeof *X), *t = calloc(n + 1, sizeof *t), *w = calloc(d + 1, sizeof *w), *g = calloc(d + 1, sizeof *g);
    for (int i = 0; i < n * d; i++)
      X[i] = (i * 13L % 211 - 105) / 64.;
    for (int i = 0; i < n; i++)
      t[i] = i % 2;
    for (int j = 0; j < d; j++)
      w[j] = (j % 9 - 4) / 8.;
    gradient(n, d, X, t, w, g);
    printf(" %08x", hash(g, (d + 1) * sizeof *g));
    free(X), free(t), free(w), free(g);
  }

  void (*others[])(int, int) = {columns_first, changed, needs_all};
  for (int k = 0; k < 3; k++) {
    filled();
    others[k](M, N);
    printf(" %08x", both() ^ hash(A, sizeof A));
    others[k](M - 1, N - 2);
    others[k](100, 100);
    printf(" %08x", both() ^ hash(A, sizeof A));
  }
  printf("\n");
}
