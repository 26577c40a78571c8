/* A little of everything, small enough to be run with every access checked. */
#include "middle.h"

#define N 13

static unsigned long sums(int n)
{
  static int a[70];
  int sum = 4, most = -99;
  double whole = 0;
  FILL(a);
#pragma acc parallel loop reduction(+:sum, whole) reduction(max:most)
  for (int i = 0; i < n; i++) { // grid x
    sum += a[i];
    whole += a[i] / 2;
    if (a[i] > most)
      most = a[i];
    a[i] = i;
  }
  return sum + 3 * most + DIGEST(whole) + DIGEST(a);
}

static unsigned long heat(int steps, int n)
{
  static double m[N][N], w[N][N];
  double sum = 0;
  FILL2(m);
#pragma acc kernels
  for (int t = 0; t < steps; t++) { // host ACC302
    for (int i = 1; i < n - 1; i++) // grid y
      for (int j = 1; j < n - 1; j++) // grid x
        w[i][j] = m[i - 1][j] + m[i + 1][j] - m[i][j - 1];
    for (int i = 1; i < n - 1; i++) // grid y
      for (int j = 1; j < n - 1; j++) // grid x
        m[i][j] = w[i][j];
  }
#pragma acc parallel loop collapse(2) reduction(+:sum)
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < n; j++) // grid x
      sum += m[i][j];
  return DIGEST(m) ^ DIGEST(sum);
}

static unsigned long product(int n, int m, const float *restrict A, const float *restrict B, float *restrict C)
{
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < n; j++) { // grid x
      C[i * n + j] = 0;
      for (int k = 0; k < m; k++) // work-item ACC302
        C[i * n + j] += A[i * m + k] * B[k * n + j];
    }
  return digest(0, C, sizeof(float) * n * n);
}

static unsigned long bodies(int n)
{
  static int a[N], b[N];
  int total = 1;
  FILL(a);
#pragma acc kernels
  {
    int scale = 0;
    for (int i = 0; i < n; i++) // grid x
      scale += a[i];
    for (int i = 0; i < n; i++) { // grid x
      int window[3], x = a[i] * a[i] + scale * scale;
      for (int k = 0; k < 3; k++) // work-item
        window[k] = i + k < n ? a[i + k] : scale;
      while (x > 1)
        x = x % 2 ? (x + 1) / 2 : x / 2 + window[0] % 2 - 1;
      if (window[1] > 0)
        b[i] = x + window[2];
    }
    total += scale;
    for (int i = 1; i < n; i++) // work-item ACC302
      b[i] += b[i - 1];
    for (int i = n; i-- > 0;) // grid x
      a[i] = b[i] - total;
  }
  return DIGEST(a) ^ DIGEST(b) ^ total;
}

static unsigned long in_one_piece(int n)
{
  static int a[70], taken[70], bins[4];
  static short narrow[4];
  static double wide[2];
  static float sum;
  int count = 0;
  FILL(a);
#pragma acc parallel loop copy(count)
  for (int i = 0; i < n; i++) { // grid x
    int at;
#pragma acc atomic
    bins[a[i] & 3]++;
#pragma acc atomic
    narrow[i & 3] -= a[i];
#pragma acc atomic
    wide[i % 2] += a[i];
#pragma acc atomic
    sum += a[i];
#pragma acc atomic capture
    { at = count; count++; }
    if (at >= 0 && at < 70)
      taken[at]++;
  }
  return DIGEST(bins) ^ DIGEST(narrow) * 3 ^ DIGEST(wide) * 5 ^ DIGEST(sum) * 7 ^ DIGEST(taken) * 9 ^ DIGEST(a) ^ count;
}

int main(void)
{
  static float A[N * 5], B[5 * N], C[N * N];
  FILL(A);
  FILL(B);
  DEVICE(sums(70));
  DEVICE(heat(3, N));
  DEVICE(product(N, 5, A, B, C));
  DEVICE(bodies(N));
  DEVICE(in_one_piece(70));
  return 0;
}
