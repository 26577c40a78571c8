/* What other people's programs and random ones brought to light. */
#include "middle.h"

#define N 70
typedef struct {
  double re, im;
} complex_t;
static double a[N + 1][N], y[N], x[N];
static complex_t c[N], d[N];
static int count = N, p[N];

static unsigned long done(void)
{
  unsigned long h = DIGEST(a) ^ DIGEST(x) * 3 ^ DIGEST(y) * 5 ^ DIGEST(c) * 7 ^ DIGEST(d) * 9 ^ DIGEST(p) * 11;
  FILL(x); FILL(y); FILL2(a); FILL(p);
  for (int k = 0; k < N; k++) {
    c[k].re = noise(k); c[k].im = noise(3 * k); d[k].re = noise(5 * k); d[k].im = 0;
  }
  return h;
}

/* An unsigned counter that must get below zero on the host. */
static unsigned long downwards(unsigned n, int m)
{
#pragma acc kernels
  for (unsigned t = n; t-- > 0;) // host ACC302
    for (int j = 0; j < m; j++) // grid x
      a[t][j] = a[t + 1][j] * 0.5 + t;
  return done();
}

/* A register for a scalar that an inner loop keeps in one too. */
static unsigned long triangular(int n)
{
  double w;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // work-item ACC302
      w = y[i];
      for (int j = i - 1; j >= 0; j--) // work-item ACC307
        w -= a[i][j] * x[j];
      x[i] = w / 64;
    }
    for (int i = 0; i < n; i++) // grid x
      y[i] = x[i] * 2;
  }
  return done();
}

/* A copy of a whole struct touches its members. */
static unsigned long members(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // grid x
      complex_t t = c[i];
      t.re += t.im;
      d[i] = t;
    }
    for (int i = 1; i < n; i++) { // host ACC302
      d[i] = d[i - 1];
      d[i].im += a[i - 1][0];
      for (int j = 0; j < n; j++) // grid x
        a[i][j] = d[i].re + j;
    }
  }
  return done();
}

/* Bounds with a constant beside the counter, which must not wrap below zero. */
static unsigned long offset(size_t n, int m, unsigned k)
{
#pragma acc kernels
  {
    for (size_t i = 0; i + 1 < n; i++) // grid x
      x[i] = y[i + 1];
    for (int i = m; i - 2 >= 0; i--) // grid x
      y[i] = a[i][i - 1];
    for (unsigned i = 1; k > i + 2; i += 2) // grid x
      p[i] += 3 * p[i - 1];
  }
  return done();
}

/* The array keeps the shape it was declared with. */
static unsigned long resized(int n, int m, double *memory)
{
  double (*b)[m] = (double (*)[m])memory;
  m = m / 2; // ACC203
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = i * 100 + j;
  return done();
}

/* A bound that a store may change: where q leads to it, the host runs the loop. */
static unsigned long moving(int *q, int n)
{
#pragma acc kernels loop
  for (int i = 0; i < count; i++)
    q[i] = n - i;
  count = N;
  return done();
}

int main(void)
{
  done();
  DEVICE(downwards(40, 33));
  DEVICE(triangular(N));
  DEVICE(members(N));
  DEVICE(offset(N, N - 1, N));
  DEVICE(offset(0, 5, 0));
  EMPTY(resized(10, 20, &a[0][0]));
  EMPTY(moving(p, 7));
  EMPTY(moving(&count, 5));
  return 0;
}
