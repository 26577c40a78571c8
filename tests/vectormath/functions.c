/* Every function that there is for vectors against the host's in a wider type, for special values, for bit patterns
   throughout the type and for numbers of everyday size. Prints what is more than 2 units in the last place from the
   correctly rounded result, and the largest error of each function, in such units of the exact result.
   Arguments: bit patterns of float that are left out between two that are tried, rounds of 16384 random doubles. */
#define _GNU_SOURCE /* exp10 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNARY(F)                                                                                                       \
  F(exp) F(exp2) F(exp10) F(expm1) F(log) F(log2) F(log10) F(log1p) F(asinh) F(acosh) F(atanh) F(sin) F(cos) F(tan)      \
  F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(erf) F(erfc) F(cbrt) F(round)
#define BINARY(F) F(pow) F(atan2) F(hypot) F(fmod) F(fdim) F(copysign)

#define NUMBER(f) f##_number,
enum { UNARY(NUMBER) BINARY(NUMBER) FUNCTIONS };
#define NAME(f) #f,
static const char *const names[] = { UNARY(NAME) BINARY(NAME) };

enum { N = 1 << 14, MOST = 2 };

static float xs[N], ys[N], rs[FUNCTIONS][N];
static double xd[N], yd[N], rd[FUNCTIONS][N];
static double worst_float[FUNCTIONS], worst_double[FUNCTIONS];

#define FLOAT1(name) rs[name##_number][i] = name##f(xs[i]);
#define FLOAT2(name) rs[name##_number][i] = name##f(xs[i], ys[i]);
#define DOUBLE1(name) rd[name##_number][i] = name(xd[i]);
#define DOUBLE2(name) rd[name##_number][i] = name(xd[i], yd[i]);

static void floats(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    UNARY(FLOAT1)
    BINARY(FLOAT2)
  }
}

static void doubles(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    UNARY(DOUBLE1)
    BINARY(DOUBLE2)
  }
}

static int64_t place_of_float(float x)
{
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? INT32_MIN - (int64_t)bits - 1 : bits;
}

static int64_t place_of_double(double x)
{
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? INT64_MIN - bits - 1 : bits;
}

static int failed;

/* In units in the last place of the exact result, of a type with `digits` bits behind the point and the least exponent
   `least`; infinity is the number behind the largest, `most`. */
static double error_of(double got, long double exact, int digits, int least, double most)
{
  if (isnan(got) || exact == 0 || isnan(exact))
    return 0;
  long double one = isinf(got) ? copysignl(2.0L * most, got) : got, other = isinf(exact) ? copysignl(2.0L * most, exact) : exact;
  one = fabsl(one) > 2.0L * most ? copysignl(2.0L * most, one) : one;
  other = fabsl(other) > 2.0L * most ? copysignl(2.0L * most, other) : other;
  int exponent = ilogbl(other);
  exponent = exponent < least ? least : exponent > -least + 1 ? -least + 1 : exponent;
  return (double)scalbnl(fabsl(one - other), digits - exponent);
}

static void compare(int f, const char *suffix, double x, double y, double got, double wanted, int64_t apart, double error, double *worst)
{
  if (isnan(got) || isnan(wanted))
    apart = isnan(got) && isnan(wanted) ? 0 : INT64_MAX;
  else if (got == 0 && wanted == 0)
    apart = !signbit(got) == !signbit(wanted) ? 0 : INT64_MAX;
  if (apart <= MOST && error > worst[f])
    worst[f] = error;
  /* tangents of large angles are the device's own */
  if (apart > MOST && !(f == tan_number && fabs(x) > 1e6 && apart <= 4)) {
    failed = 1;
    printf("%s%s(%a, %a) = %a, not %a\n", names[f], suffix, x, y, got, wanted);
  }
}

#define CHECK_FLOAT(f, wanted)                                                                                         \
  compare(f##_number, "f", xs[i], ys[i], rs[f##_number][i], (float)(wanted),                                           \
          llabs(place_of_float(rs[f##_number][i]) - place_of_float((float)(wanted))),                                  \
          error_of(rs[f##_number][i], wanted, 23, -126, 0x1p127), worst_float);
#define CHECK_DOUBLE(f, wanted)                                                                                        \
  compare(f##_number, "", xd[i], yd[i], rd[f##_number][i], (double)(wanted),                                           \
          llabs(place_of_double(rd[f##_number][i]) - place_of_double((double)(wanted))),                               \
          error_of(rd[f##_number][i], wanted, 52, -1022, 0x1p1023), worst_double);
#define CHECK_FLOAT1(f) CHECK_FLOAT(f, f((double)xs[i]))
#define CHECK_FLOAT2(f) CHECK_FLOAT(f, f((double)xs[i], (double)ys[i]))
#define CHECK_DOUBLE1(f) CHECK_DOUBLE(f, f##l((long double)xd[i]))
#define CHECK_DOUBLE2(f) CHECK_DOUBLE(f, f##l((long double)xd[i], (long double)yd[i]))

static void check_floats(int n)
{
  floats(n);
  for (int i = 0; i < n; i++) {
    UNARY(CHECK_FLOAT1)
    BINARY(CHECK_FLOAT2)
  }
}

static void check_doubles(int n)
{
  doubles(n);
  for (int i = 0; i < n; i++) {
    UNARY(CHECK_DOUBLE1)
    BINARY(CHECK_DOUBLE2)
  }
}

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* a number up to `most` in size, as often small as large */
static double everyday(double most)
{
  double part = (double)(next() >> 11) / (1ull << 53);
  return (next() & 1 ? -1 : 1) * (next() & 1 ? part * most : part);
}

static double of_bits(uint64_t bits)
{
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

enum { ANY, EVERYDAY, QUARTER_TURN, NEAR_ONE, SUBNORMAL, NEAR_LIMIT, KINDS };

/* a number as functions find it hard, or any other; everyday ones are up to `most` in size */
static double argument(int kind, double most)
{
  static const double limits[] = {
    709.782712893384, -708.396418532264, -745.133219101941, 1024, -1022, -1075, 308.254715559916, -307.652655568588,
    88.7228390520684, -87.3365447505531, -103.972077083992, 128, -126, -149, 38.5318394191036, -37.9297794536617,
    0.5, 0.75, 1, 2, 3, 4, 6, 22, 26.5432532225847, 9.19, 10.05, 0.346573590279973, 0.707106781186548, 1.41421356237310, 12e3, 1e6,
  };
  uint64_t bits = next(), few = next() % 17;
  double sign = next() & 1 ? -1 : 1, number = limits[bits % (sizeof limits / sizeof *limits)];
  switch (kind) {
  case ANY:
    number = of_bits(bits);
    return isnan(number) ? NAN : number; /* none that signals */
  case QUARTER_TURN:
    number = (double)((long double)(bits >> (43 + bits % 20)) * 1.57079632679489661923132169163975144L);
    return sign * of_bits(place_of_double(number) + few);
  case NEAR_ONE:
    return 1 + sign * scalbn((double)bits, -64 - (int)(next() % 54));
  case SUBNORMAL:
    return sign * of_bits(bits >> (11 + few * 3));
  case NEAR_LIMIT:
    return of_bits(bits & 64 ? place_of_double(fabs(number)) - 8 + few : place_of_double(fabs(number + sign * everyday(1)))) * (number < 0 ? -1 : 1);
  default:
    return everyday(most);
  }
}

static const double special[] = {
  0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 2.5, -7, 1e-30, -1e-30, 1e30, 89, -104, 710, -746,
  0x1p-126, 0x1p-149, -0x1p-149, 0x1p-148, 0x1p-1073, 0x1p-1022, 0x1p-1074, 0x1.fffffep127, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023,
  0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 12e3, 1e6, 1e22, 0x1p60, 0x1p500,
};
enum { SPECIALS = sizeof special / sizeof *special };

int main(int argc, char **argv)
{
  int64_t stride = argc > 1 ? atoll(argv[1]) : 65521;
  int rounds = argc > 2 ? atoi(argv[2]) : 4, n = 0;
  for (int a = 0; a < SPECIALS; a++)
    for (int b = 0; b < SPECIALS; b++, n++) {
      xs[n] = (float)(xd[n] = special[a]);
      ys[n] = (float)(yd[n] = special[b]);
    }
  check_floats(n);
  check_doubles(n);
  for (int64_t bits = 0; bits < 1ll << 32;) {
    for (n = 0; n < N && bits < 1ll << 32; n++, bits += stride) {
      uint32_t pattern = (uint32_t)bits, other = (uint32_t)next();
      memcpy(&xs[n], &pattern, sizeof pattern);
      memcpy(&ys[n], &other, sizeof other);
      if (n % 4)
        ys[n] = (float)everyday(n % 4 == 1 ? 3 : 100);
    }
    check_floats(n);
  }
  for (int round = 0; round < rounds; round++) {
    static const double sizes[] = { 1, 4, 30, 800 };
    for (n = 0; n < N; n++) {
      xd[n] = argument(n % KINDS, sizes[round % 4]);
      yd[n] = n / KINDS % 8 < KINDS ? argument(n / KINDS % 8, sizes[n % 4]) : everyday(1100) / log2(fabs(xd[n]));
      xs[n] = (float)xd[n];
      ys[n] = (float)yd[n];
    }
    check_doubles(n);
    check_floats(n);
  }
  for (int f = 0; f < FUNCTIONS; f++)
    printf("%-6s %.1f %.1f\n", names[f], worst_float[f], worst_double[f]);
  return failed;
}
