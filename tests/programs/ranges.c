// How far subscripts reach that are products of two variables, quotients or choices is told from the ends of loops and the
// sizes when the region begins: what is written may lie next to that, natively, not in it. No device knows how much to
// copy.
// prints: 22502 22334 21980 21884 22404 | 21586 21540 21627 21740 | 21713 21721
// launches: 0
// natively launches: 6
#include <stdio.h>

static float store[400];
static double wide[400];

static void apart(int n, int m, int s, int t, const float *from, float *to)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      to[i * m + j] = 2 * from[i * s + j * t + 1];
}

static void pooled(int n, int k, int s, int t, const double *from, double *to)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    to[i] = from[i / k * s + i % k * t] + 1;
}

static void chosen(int n, int s, int t, const float *from, float *to)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    to[i] = from[i % 3 == 1 ? i * s : -((n - i) * t)] + 1;
}

static double sum(void)
{
  double result = 0;
  for (int i = 0; i < 400; i++) {
    result += store[i] * (i % 11) + wide[i] * (i % 7);
    store[i] = (float)(i * 7 % 13);
    wide[i] = i * 5 % 17;
  }
  return result;
}

int main(void)
{
  sum();
  apart(4, 5, 3, 10, store, store + 51); /* reads 1 to 50 */
  printf("%g", sum());
  apart(4, 5, 3, 10, store, store + 50);
  printf(" %g", sum());
  apart(4, 5, -3, -10, store + 100, store + 32); /* reads 52 to 101 */
  printf(" %g", sum());
  apart(4, 5, -3, -10, store + 100, store + 33);
  printf(" %g", sum());
  apart(0, 5, 3, 10, store, store);
  apart(4, 5, 0, 0, store, store + 2);
  printf(" %g |", sum());

  pooled(20, 6, 40, 3, wide, wide + 136); /* reads 0 to 135 */
  printf(" %g", sum());
  pooled(20, 6, 40, 3, wide, wide + 135);
  printf(" %g", sum());
  pooled(20, -6, 40, 3, wide + 200, wide + 10); /* a negative divisor tells little */
  printf(" %g", sum());
  pooled(20, -6, 40, 3, wide + 200, wide + 100);
  printf(" %g |", sum());

  chosen(20, 3, 9, store + 200, store + 260); /* reads 20 to 257 */
  printf(" %g", sum());
  chosen(20, 3, 9, store + 200, store + 180);
  printf(" %g\n", sum());
  return 0;
}
