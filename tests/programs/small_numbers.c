/* Arithmetic on bytes and shorts at the ends of what 16 bits hold, and just beyond. */
// prints: wrong 0 0 0 0 0 0
// launches: 6
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned char byte;
typedef unsigned short word;
enum { N = 65536 };

static byte a[N], b[N], c[N], r[N], want[N];
static signed char s[N];
static short x[N], y[N], z[N];
static int wide[N];

/* Bytes: 65535 fits, 65536 does not. */
static void bytes(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    int top = 255 * a[i] + 2 * b[i], over = 256 * a[i] + 255 + c[i];
    r[i] = (byte)((77 * a[i] + 150 * b[i] + 29 * c[i]) >> 8) + (byte)(top / 257) + (byte)(over / 256) + (byte)(over >> 9);
    r[i] ^= (byte)((a[i] + b[i] + 1) >> 1) + (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + (byte)(a[i] * b[i] * c[i] >> 16);
  }
}

/* What can be negative: quotients round towards zero, shifts do not. */
static void differences(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    int d = a[i] - b[i], twice = 128 * d - 128 * c[i];
    int sum = abs(d) + abs(a[i] - 2 * c[i]) - 3;
    r[i] = (byte)(d / 7 + d % 5 + (d >> 2) + twice / 300 + (twice >> 3));
    r[i] += sum > 255 ? 255 : sum < 0 ? 0 : (byte)sum;
    if (d * s[i] > 1000 && twice < -16000)
      r[i] = (byte)~((d & c[i]) | (s[i] ^ 85));
    else if (!(d * s[i] >= -2000))
      r[i] = (byte)(-s[i] * -s[i] >> 7);
  }
}

/* Shorts: sums leave 16 bits, differences too, means do not. */
static void shorts(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    int sum = x[i] + y[i];
    z[i] = (short)(sum > SHRT_MAX ? SHRT_MAX : sum < SHRT_MIN ? SHRT_MIN : sum);
    z[i] = (short)(z[i] - ((x[i] - y[i]) >> 1) + (x[i] * 3 >> 2) - (word)x[i] / 3 + (x[i] * y[i] >> 15));
  }
}

/* Kept in variables that live on, in loops and under conditions. */
static void kept(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    int sum = 0, most = 0;
    for (int k = 0; k < 300; k++) {
      sum += a[(i + k) & (N - 1)];
      if (sum > most)
        most = sum - (k & 1) * b[i];
    }
    long product = (long)a[i] * b[i];
    product *= c[i] + 1;
    unsigned low = a[i] - b[i];
    wide[i] = sum + most + (int)product + (int)(low >> 3) + (int)(low / 5u);
  }
}

static void differ(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    int of = 0;
    for (int k = 0; k < 32; k++)
      of += abs(a[32 * i + k] - b[32 * i + k]) + a[32 * i + k] * c[32 * i + k];
    wide[i] = of;
  }
}

static void floats(int n, float *f)
{
#pragma acc parallel loop copyout(f[0:n])
  for (int i = 0; i < n; i++)
    f[i] = 0.25f * (a[i] + b[i] - 2 * c[i]) + (float)((a[i] << 8) | b[i]) + 1.0f / (1 + a[i] * 257);
}

static int number(const volatile void *p, int bytes, int is_signed)
{
  return bytes == 2 ? *(const volatile short *)p : is_signed ? *(const volatile signed char *)p : *(const volatile byte *)p;
}
#define A number(&a[i], 1, 0)
#define B number(&b[i], 1, 0)
#define C number(&c[i], 1, 0)
#define S number(&s[i], 1, 1)
#define X number(&x[i], 2, 1)
#define Y number(&y[i], 2, 1)

int main(void)
{
  long wrong[6] = {0};
  static float f[N];
  for (int i = 0; i < N; i++) {
    a[i] = (byte)(i % 5 ? i : 255), b[i] = (byte)(i % 7 ? i >> 8 : 255 * (i & 1)), c[i] = (byte)(i % 3 ? i * 37 >> 3 : 255);
    s[i] = (signed char)(i % 11 ? i * 5 : -128), r[i] = 0;
    x[i] = (short)(i % 13 ? i * 3 : SHRT_MIN), y[i] = (short)(i % 17 ? i * 7 : i & 1 ? SHRT_MAX : SHRT_MIN);
  }
  bytes(N);
  for (int i = 0; i < N; i++) {
    int top = 255 * A + 2 * B, over = 256 * A + 255 + C;
    byte e = (byte)((byte)((77 * A + 150 * B + 29 * C) >> 8) + (byte)(top / 257) + (byte)(over / 256) + (byte)(over >> 9));
    e ^= (byte)((byte)((A + B + 1) >> 1) + abs(A - B) + (byte)(A * B * C >> 16));
    wrong[0] += r[i] != e;
  }
  differences(N);
  for (int i = 0; i < N; i++) {
    int d = A - B, twice = 128 * d - 128 * C, sum = abs(d) + abs(A - 2 * C) - 3;
    byte e = (byte)((byte)(d / 7 + d % 5 + (d >> 2) + twice / 300 + (twice >> 3)) + (sum > 255 ? 255 : sum < 0 ? 0 : sum));
    if (d * S > 1000 && twice < -16000)
      e = (byte)~((d & C) | (S ^ 85));
    else if (d * S < -2000)
      e = (byte)(S * S >> 7);
    wrong[1] += r[i] != e;
  }
  shorts(N);
  for (int i = 0; i < N; i++) {
    int sum = X + Y, e = sum > SHRT_MAX ? SHRT_MAX : sum < SHRT_MIN ? SHRT_MIN : sum;
    wrong[2] += z[i] != (short)(e - ((X - Y) >> 1) + (X * 3 >> 2) - (word)X / 3 + (X * Y >> 15));
  }
  kept(2000);
  for (int i = 0; i < 2000; i++) {
    int sum = 0, most = 0;
    for (int k = 0; k < 300; k++) {
      sum += number(&a[(i + k) & (N - 1)], 1, 0);
      if (sum > most)
        most = sum - (k & 1) * B;
    }
    unsigned low = (unsigned)(A - B);
    wrong[3] += wide[i] != sum + most + A * B * (C + 1) + (int)(low >> 3) + (int)(low / 5u);
  }
  differ(N / 32);
  for (int i = 0; i < N; i++)
    wide[i / 32] -= abs(A - B) + A * C;
  for (int k = 0; k < N / 32; k++)
    wrong[4] += wide[k] != 0;
  floats(N, f);
  for (int i = 0; i < N; i++) {
    float e = 0.25f * (float)(A + B - 2 * C) + (float)(A * 256 + B) + 1.0f / (float)(1 + A * 257);
    wrong[5] += !(f[i] - e < 0.01f && e - f[i] < 0.01f);
  }
  printf("wrong %ld %ld %ld %ld %ld %ld\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4], wrong[5]);
  return 0;
}
