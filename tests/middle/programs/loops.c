/* Counting loops in every form, and sizes that divide nothing. */
#include "middle.h"

#define N 300
static int a[N + 40], b[N + 40];
static int m[70][90];

static unsigned long done(void)
{
  unsigned long h = DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(m) * 5;
  FILL(b);
  for (int k = 0; k < LENGTH(a); k++)
    a[k] = -1;
  for (int k = 0; k < 70 * 90; k++)
    m[k / 90][k % 90] = k;
  return h;
}

#define COUNTER(T, NAME) \
  static unsigned long NAME(T n) \
  { \
    _Pragma("acc parallel loop") \
    for (T i = 0; i < n; i++) \
      a[i] = 2 * b[i] + (int)i; \
    _Pragma("acc kernels") \
    for (T i = n; i-- > 0;) \
      for (T j = 0; j <= i && j < 90; j += 3) \
        if (i < 70) m[i][j] = b[i] - (int)(i - j); \
    return done(); \
  }

COUNTER(signed char, by_signed_char)
COUNTER(unsigned char, by_unsigned_char)
COUNTER(short, by_short)
COUNTER(unsigned short, by_unsigned_short)
COUNTER(int, by_int)
COUNTER(unsigned, by_unsigned)
COUNTER(long, by_long)
COUNTER(size_t, by_size_t)
COUNTER(long long, by_long_long)

static unsigned long steps(int n, unsigned u, size_t s, int from)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i += 2) a[i] = b[i] + 1; // grid x
    for (int i = 1; i <= n; i += 3) a[i] += 100; // grid x
    for (int i = n - 1; i >= 0; i -= 4) a[i] += 1000; // grid x
    for (int i = n; i > 0; i -= 5) a[i] -= 7; // grid x
    for (int i = from; i != n; ++i) a[i] ^= 3; // grid x
    for (int i = n; i != from; i--) a[i] += i; // grid x
    for (unsigned i = u; i-- > 0;) b[i] += 5; // grid x
    for (unsigned i = u - 1; i > 0; i--) b[i] += 50; // grid x
    for (size_t i = s; i > 0; i--) b[i - 1] *= 3; // grid x
    for (size_t i = 3; i < s; i = i + 4) b[i] -= 1; // grid x
  }
  return done();
}

/* the first value is huge when u is small: the loop then runs zero times */
static unsigned long wrapping(unsigned u)
{
#pragma acc kernels
  for (unsigned i = u - 3; i < 10; i++)
    a[i] += 6;
  return done();
}

/* bounds below zero, the array starts in the middle */
static unsigned long around_zero(int n, int w)
{
  int *const c = a + 40;
  (void)w;
#pragma acc kernels copy(a)
  for (int i = -40; i < n; i++) // grid x
    a[i + 40] = b[i + 40] * i;
#pragma acc kernels
  for (int i = -w; i <= w; i += 3) // grid x
    c[i] += i;
  return done();
}

static unsigned long shapes(int n, int k)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j <= i; j++) // grid x
        m[i][j] += 1;
    for (int i = 0; i < n; i++) // grid y
      for (int j = i + 1; j < 90; j += 2) // grid x
        m[i][j] -= i;
    for (int i = 0; i < n; i++) // grid y
      for (int j = n - i; j < n + k; j++) // grid x
        m[i][j] += 4 * j;
    for (int t = 0; t < n + 20; t++) // grid x
      for (int i = 0; i < n; i++) // grid y
        if (t - i >= 0 && t - i < 20)
          m[i][t - i] ^= t;
    for (int i = 0; i < 2 * n + 1; i++) // grid x
      a[i] = i;
    for (int i = n / 2; i < n - n % 4; i++) // grid x
      b[i] = i;
    for (int i = n >> 1; i < (n << 1); i++) // grid x
      b[i] += i;
  }
  return done();
}

static unsigned long reversed(int n)
{
#pragma acc kernels
  for (int i = n; i-- > 0;)
    for (int j = i; j >= 0; j -= 2)
      m[i][j] = 7 * i - j;
  return done();
}

/* the bound of an inner loop is the least of two */
static unsigned long least(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < (i < 30 ? i : 30); j++) // grid x
      m[i][j] = -j;
  return done();
}

static float big[1025][9];
static int row[4097];

/* more than a tile of a CPU and a block of a GPU, in every direction */
static unsigned long large(int n, int w, int r)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < w; j++)
        big[i][j] = i * 0.5f + j;
    for (int j = 0; j < w; j++)
      for (int i = 0; i < n; i++)
        big[i][j] += j;
    for (int i = 0; i < r; i++)
      row[i] = i * 3;
    for (int i = 0; i < r - 1; i += 3)
      row[i + 1] -= i;
  }
  return DIGEST(big) ^ DIGEST(row);
}

static int cube[11][13][40], four[3][4][5][6];

static unsigned long deep(int p, int q, int r)
{
#pragma acc kernels
  {
    for (int i = 0; i < p; i++) // grid z
      for (int j = 0; j < q; j++) // grid y
        for (int k = 0; k < r; k++) // grid x
          cube[i][j][k] = i + 3 * j + 5 * k;
    for (int i = 0; i < 3; i++) // grid z
      for (int j = 0; j < 4; j++) // grid z
        for (int k = 0; k < 5; k++) // grid y
          for (int l = 0; l < 6; l++) // grid x
            four[i][j][k][l] = i - j * k + l;
  }
  return DIGEST(cube) ^ DIGEST(four);
}

/* constants only */
static unsigned long fixed(void)
{
#pragma acc kernels
  {
    for (int i = 0; i < 100; i++)
      a[i] = b[i] + i;
    for (int i = 0; i < 0; i++)
      a[i] = 5;
    for (int i = 7; i < 8; i++)
      a[i] = 9;
  }
  return done();
}

/* bounds that take no iteration must not move anything either: the sections would be far outside */
static unsigned long nothing(int from, int to, int shift)
{
#pragma acc kernels
  for (int i = from; i < to; i++)
    a[i + shift] = b[i + shift] + 1;
  return done();
}

int main(void)
{
  done();
  DEVICE(by_signed_char(67));
  DEVICE(by_unsigned_char(69));
  DEVICE(by_short(65));
  DEVICE(by_unsigned_short(64));
  DEVICE(by_int(1));
  DEVICE(by_int(63));
  DEVICE(by_unsigned(61));
  DEVICE(by_long(60));
  DEVICE(by_size_t(59));
  DEVICE(by_long_long(58));
  EMPTY(by_signed_char(0));
  EMPTY(by_unsigned(0));
  EMPTY(by_int(-5));
  EMPTY(by_size_t(0));
  DEVICE(steps(299, 299u, 300, 0));
  DEVICE(steps(256, 3u, 1, 255));
  DEVICE(steps(1, 1u, 1, 0));
  DEVICE(wrapping(5));
  HOST(wrapping(2));
  DEVICE(around_zero(101, 40));
  DEVICE(around_zero(-39, 0));
  DEVICE(shapes(67, 20));
  DEVICE(shapes(1, 5));
  DEVICE(reversed(70));
  DEVICE(reversed(1));
  DEVICE(least(70));
  DEVICE(least(7));
  DEVICE(large(1025, 9, 4097));
  DEVICE(large(1024, 8, 4096));
  DEVICE(large(3, 1, 2));
  DEVICE(deep(11, 13, 40));
  DEVICE(deep(1, 1, 1));
  DEVICE(fixed());
  EMPTY(nothing(5, 5, 400000000));
  EMPTY(nothing(0, -3, -2000000000));
  EMPTY(nothing(100, 20, 100));
  DEVICE(nothing(100, 101, 100));
  return 0;
}
