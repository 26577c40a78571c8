/* Reductions that no clause names. Whole numbers again, so that the order of additions doesn't show. */
#include <math.h>
#include "middle.h"

#define N 4097
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))
static double x[N];
static float f[N];
static int a[N];

static void fill(void)
{
  FILL(a);
  for (int k = 0; k < N; k++) {
    x[k] = a[k] * 2.5 + 1;
    f[k] = (float)x[k];
  }
  x[N / 3] = NAN;
  x[N - 1] = NAN;
  f[7] = NAN;
}

/* NaN is passed over, and a variable that is NaN at the start stays so or doesn't, as in the loop */
static unsigned long extremes(int n, double start)
{
  double by_if = start, by_choice = start, by_function = start, downwards = start, least = 1e9;
  float narrow = 0, rounded = -1e9f;
  int whole = -7;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid x
      if (x[i] > by_if)
        by_if = x[i];
    for (int i = 0; i < n; i++) // grid x
      by_choice = by_choice < x[i] ? x[i] : by_choice;
    for (int i = 0; i < n; i++) // grid x
      by_function = fmax(x[i], by_function);
    for (int i = 0; i < n; i++) // grid x
      downwards = fmin(downwards, -fabs(x[i]));
    for (int i = 0; i < n; i++) // grid x
      least = x[i] <= least ? x[i] : least;
    for (int i = 0; i < n; i++) // grid x
      narrow = fmaxf(narrow, fabsf(f[i]));
    for (int i = 0; i < n; i++) // grid x
      if (x[i] / 3 > rounded)
        rounded = x[i] / 3;
    for (int i = 0; i < n; i++) // grid x
      if (f[i] > whole)
        whole = f[i];
  }
  return DIGEST(by_if) ^ DIGEST(by_choice) * 3 ^ DIGEST(by_function) * 5 ^ DIGEST(downwards) * 7 ^ DIGEST(least) * 9
    ^ DIGEST(narrow) * 11 ^ DIGEST(rounded) * 13 ^ DIGEST(whole) * 15;
}

/* this one starts again behind every NaN */
static unsigned long forgetful(int n)
{
  double most = 1e9;
  long whole = -1000;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // work-item ACC307
      most = MAXIMUM(most, x[i]);
    for (int i = 0; i < n; i++) // grid x
      whole = MAXIMUM(whole, a[i]);
  }
  return DIGEST(most) ^ whole;
}

/* what is compared isn't what is kept */
static unsigned long unlike(int n)
{
  int most = 3;
  double wide = 2.75;
#pragma acc kernels // ACC401
  for (int i = 0; i < n; i++)
    if ((unsigned)a[i] % 50 > most)
      most = a[i] % 50;
#pragma acc kernels // ACC401
  for (int i = 0; i < n; i++)
    if ((int)x[i] > wide)
      wide = x[i];
  return most + DIGEST(wide);
}

static unsigned long promised(int n, int m)
{
  double sum = 1, product = 1, columns = 0, most = -1e9;
  float narrow = 0;
#pragma acc parallel loop
  for (int i = 0; i < n; i++) // grid x
    sum += a[i]; // ACC310
#pragma acc kernels loop independent
  for (int i = 0; i < n; i++) // grid x
    product *= a[i] % 8 == 7 ? -1 : 1; // ACC310
#pragma acc kernels loop gang vector
  for (int i = 0; i < n; i++) // grid x
    narrow -= a[i]; // ACC310
#pragma acc kernels loop
  for (int i = 0; i < m; i++) { // grid x
#pragma acc loop vector
    for (int j = 0; j < m; j++) // grid y
      columns += a[i] * j; // ACC310
  }
#pragma acc parallel loop
  for (int i = 0; i < n; i++) // grid x
    if (a[i] > most)
      most = a[i];
  return DIGEST(sum) ^ DIGEST(product) * 3 ^ DIGEST(narrow) * 5 ^ DIGEST(columns) * 7 ^ DIGEST(most) * 9;
}

/* nobody said anything of the rows' own sums */
static unsigned long kept(int n, int m)
{
  static double rows[64];
  double last = 0;
#pragma acc parallel loop
  for (int i = 0; i < m; i++) { // grid x
    double sum = 0;
    for (int j = 0; j < n; j++) // work-item ACC307
      sum += f[j] > 0 ? f[j] / (i + 7) : 0;
    rows[i] = sum;
  }
#pragma acc parallel loop // ACC401
  for (int i = 0; i < n; i++)
    if (a[i] > last)
      last = a[i] - 1;
  return DIGEST(rows) ^ DIGEST(last);
}

int main(void)
{
  fill();
  DEVICE(extremes(N, -1e6));
  DEVICE(extremes(N, NAN));
  DEVICE(extremes(N, 50));
  EMPTY(extremes(0, NAN));
  DEVICE(forgetful(N));
  HOST(unlike(N));
  DEVICE(promised(N, 70));
  PARTLY(kept(300, 40));
  return 0;
}
