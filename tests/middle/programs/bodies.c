/* Conditions, loops decided by data, locals and calls inside parallel loops. */
#include <math.h>
#include <stdlib.h>
#include "middle.h"

#define N 83
static int a[N], b[N], c[N];
static float f[N], g[N];
static double m[N][N];
typedef struct { int v[3]; } triple;

static unsigned long done(void)
{
  unsigned long h = DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(c) * 5 ^ DIGEST(f) * 7 ^ DIGEST(g) * 9 ^ DIGEST(m);
  FILL(a); FILL(b); FILL(c); FILL(f); FILL(g); FILL2(m);
  return h;
}

static unsigned long affine_guards(int n, int k)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    if (i < k)
      a[i] = 1;
    else if (i == k || i > n - 4)
      a[i] = 2;
    else {
      a[i] += 3;
      b[i] = a[i];
    }
    if (i % 3 == 1 && i != 7)
      c[i] = i;
    if (!(i >= 10))
      c[i] += 1;
    if (n > 40)
      f[i] = i;
  }
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < n; j++) { // grid x
      if (i == j) m[i][j] = 1;
      if (i > j) m[i][j] = 2;
      if (i < j && (i + j) % 2) m[i][j] -= 3;
    }
  return done();
}

static unsigned long data_guards(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    if (a[i] > 0)
      b[i] = a[i];
    else if (a[i] < -20 && c[i]) {
      b[i] = -1;
      c[i] = 0;
    }
    f[i] = g[i] > 0 ? g[i] : b[i] < 3 ? -g[i] : 0.5f;
    if (f[i] > 10)
      continue;
    f[i] += i;
  }
  return done();
}

static unsigned long continues(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    if (i % 2)
      continue;
    a[i] = 4;
    if (b[i] < 0)
      continue;
    b[i] = 5;
  }
  return done();
}

static unsigned long while_inside(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) { // grid x
    int x = a[i] < 0 ? -a[i] : a[i], steps = 0;
    while (x > 1) {
      x = x % 2 ? 3 * x + 1 : x / 2;
      steps++;
      if (steps > 50)
        break;
    }
    do
      steps -= 7;
    while (steps > 7);
    b[i] = steps;
    for (int k = 1; k < N; k *= 2)
      c[i] += k;
  }
  return done();
}

static unsigned long locals(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    int window[5];
    float sum = 0, least;
    const int from = i < 2 ? 0 : i - 2;
    for (int k = 0; k < 5; k++) // work-item
      window[k] = from + k < N ? a[from + k] : 0;
    least = window[0];
    for (int k = 0; k < 5; k++) { // work-item ACC307
      sum += window[k];
      if (window[k] < least)
        least = window[k];
    }
    f[i] = sum;
    g[i] = least;
  }
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    int histogram[2][3];
    for (int p = 0; p < 2; p++) // work-item
      for (int q = 0; q < 3; q++) // work-item
        histogram[p][q] = p - q;
    for (int k = 0; k < 9; k++) // work-item ACC302
      histogram[(b[i] + k) & 1][k % 3] += k;
    c[i] = histogram[0][1] + 10 * histogram[1][2];
  }
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    triple t, pair[2];
    t.v[0] = a[i];
    t.v[1] = t.v[0] + 1;
    t.v[2] = t.v[i % 2];
    for (int k = 0; k < 2; k++) // work-item
      for (int j = 0; j < 3; j++) // work-item
        pair[k].v[j] = t.v[j] * (k + 1);
    b[i] = pair[i % 2].v[2] + pair[0].v[1];
    if (c[i] > 0) {
      int local[2][2];
      local[0][1] = c[i];
      local[1][0] = 2;
      c[i] = local[0][1] * local[1][0];
    }
  }
  return done();
}

static int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
static int twice(int x) { return 2 * clamp(x, -5, 5); }
static float norm(float x, float y)
{
  float s = x * x;
  s += y * y;
  if (s > 100)
    return 100;
  return s;
}
static inline double poly(double x) { return ((x + 1) * x - 2) * x; }

static unsigned long calls(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // grid x
      b[i] = twice(a[i]) + abs(c[i]);
      f[i] = norm(f[i], g[i]) + fabsf(g[i]) + sqrtf(16.0f) + fmaxf(f[i], 3);
    }
    for (int i = 0; i < n; i++) // host ACC302
      for (int j = 0; j < n; j++) // grid x
        m[i][j] = poly(m[i][j]) + floor(m[j][j] / 4) * (i != j ? 0 : 1) + fmin(i, j);
  }
  return done();
}

/* loops inside a parallel one: reductions in a register, triangles, a stencil's window */
static unsigned long inner(int n)
{
  static double out[N][N], row[N];
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j < n; j++) { // grid x
        out[i][j] = 0;
        for (int k = 0; k < n; k++) // work-item ACC302
          out[i][j] += m[i][k] * m[k][j];
      }
    for (int i = 0; i < n; i++) { // grid x
      row[i] = i;
      for (int j = 0; j < i; j++) // work-item ACC302
        row[i] -= m[i][j] * m[j][i];
    }
    for (int i = 1; i < n - 1; i++) // grid y
      for (int j = 1; j < n - 1; j++) { // grid x
        double s = 0;
        for (int p = -1; p <= 1; p++) // work-item ACC307
          for (int q = -1; q <= 1; q++) // work-item ACC307
            s += m[i + p][j + q] * (p * q + 1);
        out[i][j] += s;
      }
  }
  return done() ^ DIGEST(out) ^ DIGEST(row);
}

int main(void)
{
  done();
  DEVICE(affine_guards(N, 20));
  DEVICE(affine_guards(5, -1));
  DEVICE(data_guards(N));
  DEVICE(continues(N));
  DEVICE(while_inside(N));
  DEVICE(locals(N));
  DEVICE(calls(N));
  DEVICE(inner(N));
  DEVICE(inner(1));
  return 0;
}
