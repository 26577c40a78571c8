/* Loops inside an iteration that only combine, along rows of a matrix: where the order may change, a CPU has vectors along
   them. The values are whole numbers, so that the order of additions doesn't show where it may change. */
#include "middle.h"
#include <math.h>

#define M 75
#define N 4000

static float a[M * N], x[N], y[M], z[M];
static double wide[M * N];
static int counts[M * N], d[M * N], r[M], s[M], t[M];
static const int LENGTHS[] = {0, 1, 3, 4, 15, 16, 17, 33, 100, 1000, N};

/* all lengths, and rows side by side or one after the other */
#define TYPE(T, S, CLAUSE, NAME) \
  static void NAME##_in(int m, int n, T a[m][n], T x[n], S y[m]) \
  { \
    _Pragma("acc kernels loop copyin(a[0:m][0:n], x[0:n]) copyout(y[0:m])") \
    for (int i = 0; i < m; i++) { \
      S sum = 1; \
      _Pragma(CLAUSE) \
      for (int j = 0; j < n; j++) \
        sum += a[i][j] * x[j]; \
      y[i] = sum; \
    } \
  } \
  static unsigned long NAME(int m) \
  { \
    static T a[M * N], x[N]; \
    static S y[M]; \
    unsigned long result = 0; \
    FILL(a); \
    FILL(x); \
    for (int k = 0; k < LENGTH(LENGTHS); k++) { \
      NAME##_in(m, LENGTHS[k], (void *)a, x, y); \
      result = digest(result, y, m * sizeof(S)); \
    } \
    return result; \
  }

TYPE(float, float, "acc loop reduction(+:sum)", of_float)
TYPE(float, double, "acc loop reduction(+:sum)", of_float_in_double)
TYPE(double, double, "acc loop reduction(+:sum)", of_double)
TYPE(double, float, "acc loop reduction(+:sum)", of_double_in_float)
TYPE(signed char, int, "acc loop", of_char)
TYPE(signed char, signed char, "acc loop", of_char_in_char)
TYPE(unsigned short, unsigned short, "acc loop", of_short)
TYPE(int, long, "acc loop", of_int_in_long)
TYPE(unsigned, unsigned, "acc loop", of_unsigned)
TYPE(long, int, "acc loop", of_long)

/* without a clause, floating-point values are added in order */
static unsigned long in_order(int m, int n)
{
  float (*a_)[n] = (void *)a;
  for (int k = 0; k < N; k++)
    x[k] = noise(k) / 3.0f;
#pragma acc kernels loop copyin(a_[0:m][0:n])
  for (int i = 0; i < m; i++) { // grid x
    float sum = 0;
    for (int j = 0; j < n; j++) // work-item ACC307
      sum += a_[i][j] * x[j];
    y[i] = sum;
  }
  return DIGEST(y);
}

/* every operator, of several variables in one loop, some with a temporary or under conditions */
static unsigned long operators(int m, int n)
{
  int (*c)[n] = (void *)counts;
  float (*a_)[n] = (void *)a;
#pragma acc kernels loop copyin(c[0:m][0:n])
  for (int i = 0; i < m; i++) { // grid x
    int all = ~0, any = i, odd = 3, most = -7, least = 7, positive = 0, both = 1, either = 0;
    unsigned product = 3;
    for (int j = 0; j < n; j++) {
      int value = c[i][j] + i;
      all &= value | 64;
      any |= value & 8;
      odd ^= value;
      product *= 2 * value + 1;
      if (value > most)
        most = value;
      least = least < value ? least : value;
      if (c[i][j] > 0)
        positive += c[i][j];
      both = both && value < 120;
      either = value == 50 || either;
    }
    r[i] = all ^ any * 3 ^ odd * 5 ^ (int)product;
    s[i] = most * 1000 + least;
    t[i] = positive * 4 + both * 2 + either;
  }
#pragma acc kernels loop copyin(a_[0:m][0:n])
  for (int i = 0; i < m; i++) { // grid x
    float most = a_[i][0], least = y[i], sum = 0;
    double twice = 1;
#pragma acc loop reduction(max:most) reduction(min:least) reduction(+:sum) reduction(*:twice)
    for (int j = 0; j < n; j++) {
      float value = a_[i][j] - 3;
      most = value > most ? value : most;
      if (value < least)
        least = value;
      sum += value > 20 ? value : -1;
      twice *= value == 11 ? -2 : 1;
    }
    y[i] = most;
    z[i] = least + sum + (float)twice;
  }
  return DIGEST(r) ^ DIGEST(s) * 3 ^ DIGEST(t) * 5 ^ DIGEST(y) * 7 ^ DIGEST(z) * 9;
}

/* what a row comes to is needed by a second loop over it, which may store what it computes */
static unsigned long normalised(int m, int n)
{
  int (*c)[n] = (void *)counts, (*e)[n] = (void *)d;
#pragma acc kernels loop copyin(c[0:m][0:n]) copy(e[0:m][0:n])
  for (int i = 0; i < m; i++) { // grid x
    int most = -1000, sum = 0;
    for (int j = 0; j < n; j++)
      if (c[i][j] > most)
        most = c[i][j];
    for (int j = 0; j < n; j++) {
      int less = most - c[i][j];
      e[i][j] = less * 2 - e[i][j];
      sum += less;
    }
    r[i] = sum;
  }
  return DIGEST(r) ^ digest(1, d, m * n * sizeof(int));
}

/* elements, of which one is read before; a scale of the row's own; all rows together */
static unsigned long elements(int m, int n)
{
  int (*c)[n] = (void *)counts;
  long total = 5;
  FILL(r);
#pragma acc kernels copyin(c[0:m][0:n])
  {
    for (int i = 0; i < m; i++) { // grid x
      r[i] *= 2;
      for (int j = 1; j < n; j++)
        r[i] -= c[i][j - 1] * 3;
      s[i] = r[i];
    }
    for (int i = 0; i < m; i++) { // grid x
      int scale = i % 5 - 2, sum = 0;
      for (int j = 0; j < n; j++)
        sum += c[i][j] * scale;
      total += sum * (long)r[i];
    }
  }
  return DIGEST(r) ^ DIGEST(s) * 3 ^ total * 5;
}

/* loops of different lengths, to bounds of the row's own, in each other, from other places on, with narrow iterators */
static unsigned long bounds(int n, unsigned short k)
{
  static double w[120][120], v[120];
  FILL(v);
  for (int i = 0; i < 120 * 120; i++)
    w[i / 120][i % 120] = noise(i);
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // grid x
      double sum = v[i];
#pragma acc loop reduction(+:sum)
      for (int j = 0; j <= i; j++)
        sum += w[i][j] * v[j];
      wide[i] = sum;
    }
    for (unsigned short i = 1; i < k; i++) { // grid x
      double sum = 0;
#pragma acc loop reduction(+:sum)
      for (unsigned short j = 2; j < k; j++)
        sum += w[i][j - 1] * v[j + 1] + j;
      wide[n + i] = sum;
    }
    for (int i = 0; i < n; i++) { // grid x
      double sum = 0;
#pragma acc loop collapse(2) reduction(+:sum)
      for (int h = 0; h < 3; h++)
        for (int j = 0; j < n; j++)
          sum += w[(i + h) % 7][j] * v[j] + w[i][j];
      wide[2 * n + i] = sum;
    }
  }
  return DIGEST(wide);
}

/* rows by rows: both sides go into a square of iterations */
static unsigned long rows_by_rows(int m, int n, int q)
{
  static float left[40][200], right[50][200], c[40][50];
  FILL2(left);
  FILL2(right);
  FILL2(c);
#pragma acc kernels loop
  for (int i = 0; i < m; i++) // grid y
    for (int j = 0; j < n; j++) { // grid x
      float sum = c[i][j];
#pragma acc loop reduction(+:sum)
      for (int k = 0; k < q; k++)
        sum += left[i][k] * right[j][k];
      c[i][j] = sum;
    }
#pragma acc kernels loop
  for (int i = 0; i < m; i++) // grid y
    for (int j = 0; j < n; j++) { // grid x
      float sum = 0, most = c[i][j];
#pragma acc loop reduction(+:sum) reduction(max:most)
      for (int k = 0; k < 100; k++) {
        sum += left[i][k] * right[j][k] - k;
        most = fmaxf(most, left[i][k] + right[j][k]);
      }
      c[i][j] = 2 * sum + most;
    }
  return DIGEST(c);
}

/* what a row may not do in any order, or not in vectors */
static unsigned long as_they_are(int m, int n)
{
  int (*c)[n] = (void *)counts;
#pragma acc kernels loop copyin(c[0:m][0:n])
  for (int i = 0; i < m; i++) { // grid x
    int last = 0, sum = 0, run = 0;
    _Bool any = 0;
    for (int j = 0; j < n; j++) { // work-item ACC306
      last = c[i][j];
      run = run / 2 + last;
      sum += run;
    }
    for (int j = 0; j < n; j++)
      any = any || c[i][j] == 50;
    r[i] = sum + last + any;
  }
#pragma acc kernels loop copyin(c[0:m][0:n])
  for (int i = 0; i < m; i++) { // grid x
    for (int j = 0; j < n; j++)
      r[i] += c[i][d[i + j] & 15] / (j + 1);
  }
  return DIGEST(r);
}

int main(void)
{
  FILL(a);
  FILL(x);
  FILL(counts);
  DEVICE(of_float(M));
  DEVICE(of_float(5));
  DEVICE(of_float_in_double(17));
  DEVICE(of_double(M));
  DEVICE(of_double_in_float(9));
  DEVICE(of_char(20));
  DEVICE(of_char_in_char(8));
  DEVICE(of_short(1));
  DEVICE(of_int_in_long(66));
  DEVICE(of_unsigned(16));
  DEVICE(of_long(7));
  DEVICE(in_order(70, 100));
  DEVICE(in_order(5, N));
  DEVICE(operators(M, 100));
  DEVICE(operators(3, 15));
  DEVICE(operators(33, N));
  DEVICE(normalised(20, 333));
  DEVICE(normalised(9, N));
  DEVICE(elements(M, 35));
  DEVICE(elements(10, N));
  DEVICE(bounds(110, 117));
  DEVICE(bounds(3, 4));
  DEVICE(rows_by_rows(40, 50, 200));
  DEVICE(rows_by_rows(3, 5, 67));
  DEVICE(rows_by_rows(13, 2, 7));
  DEVICE(as_they_are(30, 77));
  return 0;
}
