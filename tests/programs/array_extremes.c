// Maxima, minima and truths of elements that the data choose, and sums of several terms made in one piece.
// prints: 162915 -209604 1152921504606846976 1530 327653
// prints: nan 99.6667 1e+300 708 -inf -100
// prints: 1 1 0 0 0 0 1 1 0 1 0
// prints: 5007468905
// launches: 10
#include <math.h>
#include <stdio.h>

#define N 7000
static int bin[N], v[N], top[10], low[10], all[4], any[4], steps[7];
static double x[N], most[10];
static float f[N], least[6];
static long wide[8], far[2];
static unsigned char small[16], narrow[3];
static unsigned short some[5];
static _Bool seen[3];

static void integers(int n)
{
#pragma acc parallel loop reduction(max : top, wide, some) reduction(min : low, small)
  for (int i = 0; i < n; i++) {
    int k = bin[i] % 10;
    if (v[i] > top[k])
      top[k] = v[i];
    low[k] = low[k] < v[i] ? low[k] : v[i];
    if (wide[k % 8] <= v[i] * 1000000000L)
      wide[k % 8] = v[i] * 1000000000L;
    small[k] = (unsigned char)v[i] < small[k] ? (unsigned char)v[i] : small[k];
    some[k % 5] = fmax(some[k % 5], v[i] & 65535);
  }
}

/* NaN is passed over, and an element that is NaN stays so but for fmin */
static void numbers(int n, double *restrict q, float *restrict p)
{
#pragma acc parallel loop reduction(max : q[0:10]) reduction(min : p[0:6]) copy(q[0:10], p[0:6])
  for (int i = 0; i < n; i++) {
    if (x[i] > q[bin[i] % 10])
      q[bin[i] % 10] = x[i];
    p[bin[i] % 6] = fminf(p[bin[i] % 6], f[i]);
  }
}

static void truths(int n)
{
#pragma acc parallel loop reduction(&& : all[0:4]) reduction(|| : any, seen)
  for (int i = 0; i < n; i++) {
    all[i % 4] = all[i % 4] && (i % 4 == 0 || i % 4 == 3 || bin[i] != 30);
    if (v[i] > 6997)
      any[i % 4] = 1;
    seen[i % 3] = seen[i % 3] || (i % 3 == 1 && x[i] > 2);
  }
}

static void several_terms(int n, long w)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    steps[i % 7] = steps[i % 7] + v[i] + 3;
#pragma acc atomic
    narrow[i % 3] = v[i] - w + narrow[i % 3] - i;
#pragma acc atomic update
    far[i % 2] = far[i % 2] - v[i] - i;
#pragma acc atomic
    steps[6] = w + steps[6] - v[i];
  }
}

/* nobody names them, and the loop asks for parallelism */
static void inferred(int n)
{
#pragma acc kernels loop gang vector
  for (int i = 0; i < n; i++) {
    int k = bin[i] % 10;
    if (v[i] * 3 < low[k])
      low[k] = v[i] * 3;
    most[k] = x[i] * 3 > most[k] ? x[i] * 3 : most[k];
  }
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    bin[i] = i * 37 % 101;
    v[i] = i * 7919 % 14001 - 7000;
    x[i] = (i * 31 % 1009) / 3.0 - 100;
    f[i] = x[i];
    if (i % 13 == 0)
      x[i] = f[i] = NAN;
  }
  for (int k = 0; k < 16; k++)
    small[k] = 255;
  for (int k = 0; k < 4; k++)
    all[k] = (int[]){7, 1, 1, 5}[k];
  top[3] = 100000, low[2] = -7, wide[0] = 1L << 60, most[4] = NAN, most[1] = 1e300;
  least[2] = NAN, least[1] = -INFINITY, any[0] = 4;
  for (int n = 0; n <= N; n += N)
    integers(n), numbers(n, most, least), truths(n), several_terms(n, 12345678901), inferred(n);
  long tops = 0, lows = 0, bytes = 0, shorts = 0, sums = 0;
  for (int k = 0; k < 10; k++)
    tops += top[k], lows += low[k], bytes += small[k];
  for (int k = 0; k < 6; k++)
    bytes += small[10 + k];
  for (int k = 0; k < 5; k++)
    shorts += some[k];
  for (int k = 0; k < 7; k++)
    sums += steps[k] * (k + 1L);
  for (int k = 0; k < 3; k++)
    sums += narrow[k] * (k + 1);
  printf("%ld %ld %ld %ld %ld\n", tops, lows, wide[0], bytes, shorts);
  printf("%g %g %g %g %g %g\n", most[4], fabs(least[2]), most[1], most[2], least[1], least[0]);
  for (int k = 0; k < 4; k++)
    printf("%d %d ", all[k], any[k]);
  printf("%d %d %d\n", seen[0], seen[1], seen[2]);
  printf("%ld\n", sums + far[0] - far[1]);
  return 0;
}
