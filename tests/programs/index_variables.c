// Variables of the function that only name an index in the region, and subscripts that lie whole rows away.
// prints: named 2.004e+06
// prints: twice 1200 -19
// prints: perhaps 25
// prints: around a loop 18
// prints: lives on 999
// prints: rows 100 1180
// prints: diagonals 190 380
// launches: 25
#include <stdio.h>
enum { N = 1000 };
static double a[N], b[N];

static double total(const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum;
}

static void named(int n, int m, double *restrict x, const double *restrict y)
{
  int i, j, k;
#pragma acc kernels loop
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) {
      k = i * m + j;
      x[k] = 2 * y[k] + k;
    }
}

static void twice(int n, double *restrict x, double *restrict y)
{
  int k;
#pragma acc parallel loop copy(x[0:n], y[0:n])
  for (int i = 0; i < n; i++) {
    k = i;
    x[k] = k + 1;
    k = n - 1 - i;
    y[k] = -x[n - 1 - k];
    k += 1;
  }
}

static void perhaps(int n, const int *flag, double *restrict x)
{
  int k;
#pragma acc kernels loop copyin(flag[0:n]) copyout(x[0:n])
  for (int i = 0; i < n; i++) {
    k = i;
    if (flag[i])
      k = 0;
    x[i] = k;
  }
}

static void around(int n, int m, double *restrict x, const double *restrict y)
{
  int k;
#pragma acc parallel loop copy(x[0:n]) copyin(y[0:m])
  for (int i = 0; i < n; i++) {
    double sum = 0;
    k = 0;
    for (int j = 0; j < m; j++) {
      sum += y[k];
      k = j;
    }
    x[i] = sum;
  }
}

/* two rows, the second from the first and the other way round */
static void rows(int n, double *x)
{
#pragma acc kernels loop copy(x[0:3*n])
  for (int j = 0; j < n; j++) {
    x[n + j] = x[j] + j;
    for (int i = 1; i < 3; i++)
      x[i * n + j] += x[(i - 1) * n + j] + x[j + n - n];
  }
}

static void diagonal(int i, int n, double *x)
{
  int k;
#pragma acc parallel loop present(x)
  for (int j = 0; j <= i; j++) {
    k = (j + 1) * n + i + 1 - j;
    x[k] = x[k - 1] > x[k - n] ? x[k - 1] + 1 : x[k - n] + 1;
  }
}

int main(void)
{
  int last = 0, flag[10] = {0, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  for (int i = 0; i < N; i++)
    a[i] = 1, b[i] = i + 1.5;
  named(N / 10, 10, a, b);
  printf("named %g\n", 2 * total(a, N) - 2 * 500 * 999);
  twice(40, a, b);
  printf("twice %g %g\n", total(a, 40) + 380, b[20] + b[39] + 2);
  perhaps(10, flag, a);
  printf("perhaps %g\n", total(a, 10));
  for (int i = 0; i < 4; i++)
    b[i] = i;
  around(6, 4, a, b);
  printf("around a loop %g\n", total(a, 6));
#pragma acc kernels loop copyout(a)
  for (int i = 0; i < N; i++) {
    last = i;
    a[last] = 0;
  }
  printf("lives on %d\n", last);
  for (int i = 0; i < N; i++)
    a[i] = i < 20 ? 5 : 0;
  rows(20, a);
  printf("rows %g %g\n", total(a, 20), total(a, 60));
  for (int i = 0; i < N; i++)
    a[i] = 0;
  double *x = a;
#pragma acc data copy(x[0:441])
  for (int i = 0; i < 20; i++)
    diagonal(i, 21, x);
  printf("diagonals %g %g\n", x[10 * 21 + 10] * 10, x[20 * 21] + x[21 * 18 + 1] * 20 + 20);
  return 0;
}
