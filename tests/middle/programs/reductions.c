/* Sums and their like. The values are whole numbers, so that the order of additions doesn't show. */
#include <math.h>

#include "middle.h"

#define N 4097
#define M 40
static int a[N];
static unsigned char small[N];
static double grid_[M][M];

#define REDUCTIONS(T, NAME) \
  static unsigned long NAME(int n) \
  { \
    static T x[N]; \
    T sum = 3, product = 2, most = -1000, least = 1000; \
    for (int k = 0; k < N; k++) \
      x[k] = (T)(noise(k)); \
    _Pragma("acc parallel loop reduction(+:sum) reduction(*:product) reduction(max:most) reduction(min:least)") \
    for (int i = 0; i < n; i++) { \
      sum += x[i]; \
      product *= i % 512 == 7 ? -2 : 1; \
      most = x[i] * 2 > most ? x[i] * 2 : most; \
      if (x[i] < least) \
        least = x[i]; \
      x[i] += 1; \
    } \
    return DIGEST(sum) ^ DIGEST(product) * 3 ^ DIGEST(most) * 5 ^ DIGEST(least) * 7 ^ DIGEST(x) * 9; \
  }

REDUCTIONS(int, of_int)
REDUCTIONS(long, of_long)
REDUCTIONS(float, of_float)
REDUCTIONS(double, of_double)

static unsigned long bits(int n, unsigned start)
{
  unsigned all = ~0u, any = start, odd = start;
  int both = 1, either = 0, none = 0;
  unsigned short narrow = 60000;
#pragma acc parallel loop reduction(&:all) reduction(|:any) reduction(^:odd) reduction(&&:both) reduction(||:either, none) reduction(+:narrow)
  for (int i = 0; i < n; i++) {
    all &= ~(1u << (a[i] & 7));
    any |= 1u << (i % 19);
    odd ^= (unsigned)a[i] * 77u;
    both = both && a[i] > -51;
    either = either || a[i] == 50;
    none = none || a[i] > 50;
    narrow += small[i];
  }
  return all + 3ul * any + 5ul * odd + 7ul * both + 11ul * either + 13ul * none + 17ul * narrow;
}

/* whole numbers may be added in any order without a clause */
static unsigned long without_clause(int n)
{
  long sum = 5, positive = 0;
  int most = a[0];
  unsigned count = 7;
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    sum += a[i] * 3L;
    if (a[i] > most)
      most = a[i];
    count += a[i] > 0;
    positive -= small[i];
  }
  return sum + 3 * most + 5 * count + 7 * positive;
}

/* floating-point ones may not */
static unsigned long in_order(int n)
{
  static float x[N];
  float sum = 1;
  double wide = 0;
  for (int k = 0; k < N; k++)
    x[k] = noise(k) / 3.0f;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid x
      x[i] += 1;
    for (int i = 0; i < n; i++) // work-item ACC307
      sum += x[i] * x[i];
    for (int i = 0; i < n; i++) // work-item ACC307
      wide += x[i] / 7;
  }
  return DIGEST(sum) ^ DIGEST(wide);
}

static unsigned long nested(int n, int m)
{
  double sum = 0.5;
  long count = 0;
#pragma acc parallel loop collapse(2) reduction(+:sum)
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < m; j++) { // grid x
      sum += grid_[i][j];
      grid_[i][j] *= 2;
    }
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid x
    for (int j = 0; j <= i; j++) // grid y
      count += a[i] + j;
#pragma acc parallel loop reduction(+:sum)
  for (int i = 0; i < n; i++) { // grid y
    for (int j = 0; j < m; j++) // grid x
      sum += grid_[i][j] + i;
  }
  return DIGEST(sum) ^ DIGEST(count) ^ DIGEST(grid_);
}

/* each row has its own sum */
static unsigned long by_row(int n, int m)
{
  static double total[M];
#pragma acc parallel loop
  for (int i = 0; i < n; i++) { // grid x
    double s = 0;
#pragma acc loop reduction(+:s)
    for (int j = 0; j < m; j++)
      s += grid_[i][j];
    total[i] = s;
  }
  return DIGEST(total);
}

/* the loop around stays on the host */
static unsigned long over_time(int steps, int n)
{
  static long x[N];
  long sum = 1;
  for (int k = 0; k < N; k++)
    x[k] = a[k];
#pragma acc kernels
  for (int t = 0; t < steps; t++) { // host ACC302
    for (int i = 0; i < n; i++) // grid x
      x[i] = x[i] + x[N - 1] + t;
    for (int i = 0; i < n; i++) // grid x
      sum += x[i] % 1000;
  }
  return sum + DIGEST(x);
}

/* a sum used by the next loop of the same region */
static unsigned long used_next(int n)
{
  static int out[N];
  int sum = 0;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid x
      sum += a[i];
    for (int i = 0; i < n; i++) // grid x
      out[i] = a[i] - sum / 8;
  }
  return DIGEST(out);
}

/* sweeps until the largest change is small, which the host looks at: data stay where they are */
static unsigned long until(int m, double small_change, int most)
{
  static double next[M][M];
  double change = 2 * small_change + 1;
  int steps = 0;
#pragma acc data copy(grid_) create(next)
  while (change > small_change && steps < most) {
    change = 0;
#pragma acc kernels
    {
      for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < m - 1; j++) {
          next[i][j] = 0.25 * (grid_[i - 1][j] + grid_[i + 1][j] + grid_[i][j - 1] + grid_[i][j + 1]);
          change = fmax(change, fabs(next[i][j] - grid_[i][j]));
        }
      for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < m - 1; j++)
          grid_[i][j] = next[i][j];
    }
    steps++;
  }
  return DIGEST(grid_) ^ DIGEST(change) * 3 ^ (unsigned long)steps * 5;
}

struct totals { long sum; };

/* of a global, and of a member */
static long global_sum;
static unsigned long elsewhere(int n, struct totals *t)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    global_sum += a[i];
#pragma acc kernels
  for (int i = 0; i < n; i++)
    t->sum += a[i] * 2;
  return global_sum + 3 * t->sum;
}

int main(void)
{
  struct totals t = {4};
  FILL(a); FILL(small); FILL2(grid_);
  DEVICE(of_int(N));
  DEVICE(of_long(N));
  DEVICE(of_float(N));
  DEVICE(of_double(N));
  DEVICE(of_int(1));
  DEVICE(of_double(255));
  EMPTY(of_int(0));
  EMPTY(of_double(-1));
  DEVICE(bits(N, 9));
  DEVICE(bits(3, 0));
  DEVICE(without_clause(N));
  EMPTY(without_clause(0));
  DEVICE(in_order(N));
  DEVICE(nested(M, M));
  DEVICE(nested(1, 3));
  DEVICE(by_row(M, M));
  DEVICE(over_time(5, 1000));
  EMPTY(over_time(0, 1000));
  DEVICE(used_next(N));
  DEVICE(until(M, 0.5, 100));
  DEVICE(until(5, 0.0, 3));
  EMPTY(until(2, 0.5, 4));
  EMPTY(until(M, 0.5, 0));
  DEVICE(elsewhere(N, &t));
  return 0;
}
