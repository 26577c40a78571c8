/* Every arithmetic type keeps C's meaning on the device. */
#include <stdbool.h>
#include "middle.h"

#define N 37
enum colour { RED = -3, GREEN = 5, BLUE = 70000 };

#define INTEGER(T, NAME) \
  static unsigned long NAME(int n) \
  { \
    static T a[N], b[N], r[16][N]; \
    static double d[N]; \
    static float f[N]; \
    static long l[N]; \
    for (int i = 0; i < N; i++) { \
      a[i] = (T)(noise(i) * 2); \
      b[i] = (T)(noise(i + 99) | 1); \
    } \
    _Pragma("acc parallel loop") \
    for (int i = 0; i < n; i++) { \
      r[0][i] = a[i] + b[i]; \
      r[1][i] = a[i] - b[i]; \
      r[2][i] = a[i] * b[i]; \
      r[3][i] = a[i] / b[i]; \
      r[4][i] = a[i] % b[i]; \
      r[5][i] = (T)((a[i] & b[i]) | (a[i] ^ 5)); \
      r[6][i] = a[i] >> (i % 5); \
      r[7][i] = (T)(b[i] < 0 ? 1 : b[i] << (i % 3)); \
      r[8][i] = (T)~a[i]; \
      r[9][i] = (T)-a[i]; \
      r[10][i] = (a[i] < b[i]) + 2 * (a[i] == b[i]) + !a[i]; \
      r[11][i] = b[i]; \
      r[11][i] += a[i]; \
      r[11][i] *= 3; \
      r[11][i] -= 1; \
      r[11][i] /= 7; \
      r[12][i] = a[i]; \
      r[12][i] %= 9; \
      r[12][i] ^= b[i]; \
      r[12][i] |= 4; \
      r[12][i] &= 0x5f; \
      r[13][i] = a[i]; \
      r[13][i] >>= 1; \
      r[14][i] = (T)(a[i] / 2.0); \
      r[15][i] = (T)(noise2(i) / 4.0f); \
      d[i] = a[i] / 3.0; \
      f[i] = a[i] * 0.5f; \
      l[i] = a[i] * 1000000L - b[i]; \
    } \
    return DIGEST(r) ^ DIGEST(d) ^ DIGEST(f) ^ DIGEST(l); \
  }

static int noise2(int i) { return i * 5 % 31; }

INTEGER(char, plain_char)
INTEGER(signed char, signed_char)
INTEGER(unsigned char, unsigned_char)
INTEGER(short, short_int)
INTEGER(unsigned short, unsigned_short)
INTEGER(int, int_)
INTEGER(unsigned, unsigned_int)
INTEGER(long, long_int)
INTEGER(unsigned long, unsigned_long)
INTEGER(long long, long_long)
INTEGER(unsigned long long, unsigned_long_long)

#define FLOATING(T, NAME) \
  static unsigned long NAME(int n, T scale) \
  { \
    static T a[N], b[N], r[9][N]; \
    static int k[N]; \
    static unsigned char c[N]; \
    for (int i = 0; i < N; i++) { a[i] = noise(i) / (T)4; b[i] = noise(i + 99) | 1; } \
    _Pragma("acc parallel loop") \
    for (int i = 0; i < n; i++) { \
      r[0][i] = a[i] + b[i]; \
      r[1][i] = a[i] - b[i] * 2; \
      r[2][i] = a[i] * scale; \
      r[3][i] = a[i] / 8; \
      r[4][i] = -a[i]; \
      r[5][i] = (a[i] < b[i]) + (a[i] != b[i]) + !a[i]; \
      r[6][i] = b[i]; \
      r[6][i] += 1; \
      r[6][i] *= a[i]; \
      r[6][i] -= i / 2; \
      r[6][i] /= 4; \
      r[7][i] = a[i] > 0 ? a[i] : i; \
      r[8][i] = i * 0.1; \
      k[i] = (int)a[i] + (a[i] > 3 && b[i] < 0); \
      c[i] = (unsigned char)(a[i] < 0 ? -a[i] : a[i]); \
    } \
    return DIGEST(r) ^ DIGEST(k) ^ DIGEST(c); \
  }

FLOATING(float, float_)
FLOATING(double, double_)

/* promotions, conversions, and which comparison is unsigned */
static unsigned long mixed(int n)
{
  static unsigned char uc[N];
  static signed char sc[N];
  static unsigned short us[N];
  static int si[N];
  static unsigned ui[N];
  static unsigned long ul[N];
  static float f[N];
  static long r[14][N];
  static double d[6][N];
  for (int i = 0; i < N; i++) {
    uc[i] = 200 + i;
    sc[i] = noise(i);
    us[i] = 60000 + 100 * i;
    si[i] = noise(i) * 40000;
    ui[i] = 4294967295u - i;
    ul[i] = 18446744073709551615ul - 3000000000ul * i;
    f[i] = noise(i) / 8.0f;
  }
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    r[0][i] = uc[i] + uc[i];
    r[1][i] = uc[i] << 8;
    r[2][i] = ~uc[i];
    r[3][i] = -uc[i];
    r[4][i] = sc[i] < ui[i];
    r[5][i] = sc[i] + ui[i];
    r[6][i] = si[i] / us[i];
    r[7][i] = si[i] / (unsigned)us[i];
    r[8][i] = ul[i] >> 60;
    r[9][i] = (long)ul[i] >> 60;
    r[10][i] = (signed char)us[i];
    r[11][i] = (short)si[i] * 65536L;
    r[12][i] = i % 2 ? sc[i] : ui[i];
    r[13][i] = (si[i] > 0) - (si[i] < 0) + (us[i] && sc[i]) * 10 + (!us[i] || !sc[i]) * 100;
    d[0][i] = ul[i];
    d[1][i] = f[i] * 0.1;
    d[2][i] = f[i] * 0.1f;
    d[3][i] = (float)si[i] / 3;
    d[4][i] = si[i] / 3;
    d[5][i] = (float)ul[i];
  }
  return DIGEST(r) ^ DIGEST(d);
}

static unsigned long booleans(int n)
{
  static bool b[N];
  static _Bool c[5][N];
  static double d[N];
  for (int i = 0; i < N; i++) {
    b[i] = i % 3 == 0;
    d[i] = i % 4 ? 0.25 * i : 0;
  }
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    c[0][i] = d[i];
    c[1][i] = i * 256;
    c[2][i] = !b[i];
    c[3][i] = b[i] && d[i] > 1;
    c[4][i] = b[i];
    c[4][i] |= i & 4;
    c[4][i] += 1;
    d[i] = b[i] + d[i];
  }
  return DIGEST(b) ^ DIGEST(c) ^ DIGEST(d);
}

static unsigned long enums(int n)
{
  static enum colour c[N];
  static int r[N];
  for (int i = 0; i < N; i++)
    c[i] = i % 3 == 0 ? RED : i % 3 == 1 ? GREEN : BLUE;
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    r[i] = c[i] + GREEN;
    c[i] = c[i] == RED ? BLUE : RED;
  }
  return DIGEST(c) ^ DIGEST(r);
}

/* values at the ends of their types */
static unsigned long limits(int n, long low, unsigned long high)
{
  static long a[N];
  static unsigned long b[N];
  static int c[N];
  static unsigned d[N];
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    a[i] = low + i;
    b[i] = high + i;
    c[i] = -2147483647 - 1 + i;
    d[i] = 0xfffffff0u + i;
    a[i] /= 3;
    b[i] = b[i] / 3 + (0x8000000000000000ul >> i);
    c[i] = c[i] / 2 - c[i] % 7;
    d[i] = d[i] * 3u;
  }
  return DIGEST(a) ^ DIGEST(b) ^ DIGEST(c) ^ DIGEST(d);
}

int main(void)
{
  DEVICE(plain_char(N));
  DEVICE(signed_char(N));
  DEVICE(unsigned_char(N));
  DEVICE(short_int(N));
  DEVICE(unsigned_short(N));
  DEVICE(int_(N));
  DEVICE(unsigned_int(N));
  DEVICE(long_int(N));
  DEVICE(unsigned_long(N));
  DEVICE(long_long(N));
  DEVICE(unsigned_long_long(N));
  DEVICE(float_(N, 0.75f));
  DEVICE(double_(N, 0.75));
  DEVICE(mixed(N));
  DEVICE(booleans(N));
  DEVICE(enums(N));
  DEVICE(limits(N, -9223372036854775807L - 1, 18446744073709551600ul));
  return 0;
}
