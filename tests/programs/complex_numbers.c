// Complex numbers: sums, products with infinities and NaN as Annex G has them, conjugates, absolute values, comparisons, both
// widths together, functions of them, a loop until they are large, butterflies, matrices; and what stays on the host.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0
// prints: 0 0
// launches: 12
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 324, M = 18 };
static double complex a[N], b[N];
static float complex fa[N];
static double numbers[2][N];
static double complex c[2][N];
static float complex fc[2][N];

#define LOOP _Pragma("acc parallel loop independent") for (int i = 0; i < n; i++)
#define PLAIN for (int i = 0; i < n; i++)
#define BOTH(name, body) \
  static void name##_accelerated(int n, double x, double complex w, double complex *restrict z, float complex *restrict f, \
                                 double *restrict r) { (void)x, (void)w, (void)z, (void)f, (void)r; LOOP body } \
  static void name##_plain(int n, double x, double complex w, double complex *restrict z, float complex *restrict f, \
                           double *restrict r) { (void)x, (void)w, (void)z, (void)f, (void)r; PLAIN body }

static double complex horner(double complex z, double complex w)
{
  double complex t = z * w;
  t += 1;
  return t * w - z;
}

BOTH(sums, { z[i] = a[i] + b[i] - x + (w - a[i]) - I * x; })
BOTH(products, { z[i] = a[i] * b[i]; })
BOTH(floats, { f[i] = fa[i] * conjf(fa[i]) - 2.0f * fa[i] / 3.0f; })
BOTH(sizes, { r[i] = creal(a[i]) * creal(a[i]) + cabs(b[i]) + __imag__ b[i]; })
BOTH(equals, { r[i] = (a[i] == b[i]) + 2 * (a[i] != 1.0); })
BOTH(called, { z[i] = horner(a[i], b[i]) * w; })
BOTH(until, {
  double complex t = a[i] * 0.5;
  int k = 0;
  while (k < 50 && creal(t) * creal(t) + cimag(t) * cimag(t) < 4) {
    t = t * t + w;
    k++;
  }
  r[i] = k;
})
BOTH(chosen, {
  double complex t = i % 2 ? a[i] : b[i];
  if (i % 3)
    t = -t;
  t *= w;
  z[i] = t;
})
BOTH(swapped, {
  z[i] = __builtin_complex(cimag(z[i]), creal(z[i]));
  __imag__ z[i] *= 2;
})
BOTH(widths, {
  z[i] = fa[i] + a[i];
  f[i] = b[i];
  r[i] = fa[i];
})
BOTH(butterflies, {
  if (i < n / 32 * 16) {
    int k = i / 8 * 16 + i % 8;
    double complex t = b[i % 8] * a[k + 8];
    double complex u = a[k];
    z[k] = u + t;
    z[k + 8] = u - t;
  }
})
BOTH(matrix, {
  if (i < M)
    for (int j = 0; j < M; j++) {
      double complex sum = 0;
      for (int k = 0; k < M; k++)
        sum += a[i * M + k] * b[k * M + j];
      z[i * M + j] = sum;
    }
})
BOTH(quotients, { z[i] = a[i] / b[i]; })
BOTH(exponentials, { z[i] = cexp(I * i); })

static int same(double one, double other)
{
  return one == other || (isnan(one) && isnan(other)) || fabs(one - other) < 1e-12 + 1e-12 * fabs(other);
}

static int differ(void)
{
  int found = 0;
  for (int i = 0; i < N; i++) {
    found += !same(creal(c[0][i]), creal(c[1][i])) || !same(cimag(c[0][i]), cimag(c[1][i]));
    found += !same(crealf(fc[0][i]), crealf(fc[1][i])) || !same(cimagf(fc[0][i]), cimagf(fc[1][i]));
    found += !same(numbers[0][i], numbers[1][i]);
  }
  return found;
}

#define TRY(name, end) \
  name##_accelerated(N, 1.5, 0.1 + 0.6 * I, c[0], fc[0], numbers[0]); \
  name##_plain(N, 1.5, 0.1 + 0.6 * I, c[1], fc[1], numbers[1]); \
  printf("%d%s", differ(), end);

int main(void)
{
  const double special[] = {0, -0.0, 1, -2, INFINITY, -INFINITY, NAN, 1e200, 3};
  for (int i = 0; i < N; i++) {
    const double parts[] = {special[i % 9], special[i / 9 % 9], special[i / 36 % 9], special[i * 7 % 9]};
    memcpy(&a[i], parts, sizeof a[i]);
    memcpy(&b[i], parts + 2, sizeof b[i]);
    if (i > 200)
      a[i] = 0.001 * i + I * (1 - i * 0.002), b[i] = 0.3 - i * 0.0001 + I * (i % 7);
    fa[i] = (float)i * 0.5f + I * (float)(i % 5);
  }
  TRY(sums, " ")
  TRY(products, " ")
  TRY(floats, " ")
  TRY(sizes, " ")
  TRY(equals, " ")
  TRY(called, " ")
  TRY(until, " ")
  TRY(chosen, " ")
  TRY(swapped, " ")
  TRY(widths, " ")
  TRY(butterflies, " ")
  TRY(matrix, "\n")
  TRY(quotients, " ")
  TRY(exponentials, "\n")
  return 0;
}
