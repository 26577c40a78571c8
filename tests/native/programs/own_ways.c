// launches: 15
// prints: 0 wrong
/* Iterations that don't take the same way: functions of the program's own with branches, loops and tables, and loops
   that iterations leave when each is done. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1003, TABLE = 16 };

static float x[N], y[N], r[N], s[N];
static double u[N], v[N];
static int a[N], b[N], c[N];
static unsigned h[N];

static float clamped(float value, float low, float high)
{
  if (value < low)
    return low;
  if (value > high)
    return high;
  return value;
}

static double normal(double d)
{
  double k = 1 / (1 + 0.2316419 * fabs(d));
  double tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  tail = 0.39894228 / (1 + d * d) * tail;
  if (d > 0)
    return 1 - tail;
  return tail;
}

static unsigned hash(unsigned value)
{
  value ^= value >> 16;
  value *= 0x7feb352du;
  value ^= value << 5;
  return value % 1000 < 500 ? value >> 3 : value;
}

static int collatz(int n)
{
  int steps = 0;
  while (n != 1) {
    if (n & 1)
      n = 3 * n + 1;
    else
      n /= 2;
    if (++steps == 60)
      return -1;
  }
  return steps;
}

static float root(float of)
{
  float guess = 1;
  for (int k = 0; k < 20; k++) {
    float next = 0.5f * (guess + of / guess);
    if (next == guess)
      break;
    guess = next;
  }
  return guess;
}

static float both(float one, float other)
{
  return one > other ? root(one) : clamped(other, -1, root(fabsf(one) + 1));
}

static float summed(float of, int n)
{
  float sum = 0;
  for (int k = 0; k < n; k++) {
    if ((k & 3) == 3)
      continue;
    sum += of * k;
    if (sum > 50)
      return -sum;
  }
  return sum;
}

static double wide(float of)
{
  double sum = of;
  do
    sum = sum * 0.5 + 1;
  while (sum > 2.5);
  return sum;
}

#define EACH(NAME, ...)                                                                                                \
  static __attribute__((noinline)) void NAME##_host(int n)                                                             \
  {                                                                                                                    \
    for (int i = 0; i < n; i++) {                                                                                      \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  static __attribute__((noinline)) void NAME(int n)                                                                    \
  {                                                                                                                    \
    _Pragma("acc parallel loop") for (int i = 0; i < n; i++)                                                           \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }

EACH(clamps, r[i] = clamped(x[i], -1, y[i]) + clamped(y[i], x[i], 2);)
EACH(normals, v[i] = normal(u[i]) * 2 - normal(-x[i]);)
EACH(hashes, h[i] = hash(2u * i) + hash(h[i]);)
EACH(steps, b[i] = collatz(a[i] & 255 | 1) * (a[i] > 3);)
EACH(roots, r[i] = root(y[i] * y[i] + 1);)
EACH(chosen, r[i] = x[i] > 0 ? root(x[i]) : -root(-x[i]);)
EACH(nested, r[i] = both(x[i], y[i]); s[i] = x[i] > 0 && root(x[i]) > 1 || clamped(y[i], 0, 1) == 1;)
EACH(sums, r[i] = summed(x[i], 3 + (a[i] & 15));)
EACH(wider, r[i] = wide(fabsf(x[i]) * 100);)
EACH(
    escape, float p = x[i], q = y[i]; int k = 0; while (k < 50 && p * p + q * q < 4) {
      float t = p * p - q * q + 0.1f;
      q = 2 * p * q + y[i] * 0.1f;
      p = t;
      k++;
    } b[i] = k;)
EACH(
    hits, int found = -1; for (int k = 0; k < 20; k++) {
      float d = x[i] * k - y[i];
      if (d < 0)
        continue;
      for (int m = 0; m < 4; m++) {
        d -= 0.25f;
        if (d < 0.1f) {
          found = k * 10 + m;
          break;
        }
      }
      if (found >= 0)
        break;
    } b[i] = found;)
EACH(stores, if (x[i] > 0) { r[i] = root(x[i]); if (y[i] > 1) s[i] += root(y[i]); } else s[i] = x[i];)
EACH(
    looked, int low = 0, high = TABLE; while (high - low > 1) {
      int middle = (low + high) / 2;
      if (y[middle] * 0 + middle * 0.25f - 2 <= x[i])
        low = middle;
      else
        high = middle;
    } b[i] = low;)

static int ended(int n)
{
  int count = 0;
#pragma acc parallel loop reduction(+ : count)
  for (int i = 0; i < n; i++) {
    int k = 0;
    float p = x[i];
    while (p > 0.01f && k < 30) {
      p *= 0.5f;
      k++;
    }
    if (k > 3)
      count += k;
  }
  return count;
}

static int ended_host(int n)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    int k = 0;
    float p = x[i];
    while (p > 0.01f && k < 30) {
      p *= 0.5f;
      k++;
    }
    if (k > 3)
      count += k;
  }
  return count;
}

static void begin(void)
{
  unsigned state = 7;
  for (int i = 0; i < N; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (int)(state >> 16) / 8192.0f - 4;
    state = state * 1664525u + 1013904223u;
    y[i] = (int)(state >> 16) / 8192.0f - 4;
    u[i] = x[i] * 0.7;
    a[i] = state >> 8 & 0xffff;
    h[i] = state;
    r[i] = s[i] = -7;
    v[i] = b[i] = c[i] = -7;
  }
}

static int wrong;

static void compare(const char *name, void (*host)(int), void (*device)(int))
{
  static float r2[N], s2[N];
  static double v2[N];
  static int b2[N];
  static unsigned h2[N];
  begin();
  host(N);
  memcpy(r2, r, sizeof r), memcpy(s2, s, sizeof s), memcpy(v2, v, sizeof v), memcpy(b2, b, sizeof b);
  memcpy(h2, h, sizeof h);
  begin();
  device(N);
  for (int i = 0; i < N; i++)
    if (r[i] != r2[i] || s[i] != s2[i] || v[i] != v2[i] || b[i] != b2[i] || h[i] != h2[i]) {
      if (!wrong++)
        printf("%s %d\n", name, i);
    }
}

#define COMPARE(NAME) compare(#NAME, NAME##_host, NAME);

int main(void)
{
  COMPARE(clamps)
  COMPARE(normals)
  COMPARE(hashes)
  COMPARE(steps)
  COMPARE(roots)
  COMPARE(chosen)
  COMPARE(nested)
  COMPARE(sums)
  COMPARE(wider)
  COMPARE(escape)
  COMPARE(hits)
  COMPARE(stores)
  COMPARE(looked)
  begin();
  wrong += ended(N) != ended_host(N);
  printf("%d wrong\n", wrong);
  return 0;
}
