/* Functions of one float for all 2^32 of them: prints the largest error of each in units in the last place of the exact
   result, and fails where one is more than 2 numbers from the correctly rounded result. What the functions of double
   give stands for the exact result; `functions.c` tells how exact these are. Where they seem to disagree, the host's
   function decides.
   Arguments: names of functions, all without. */
#define _GNU_SOURCE /* exp10 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNARY(F)                                                                                                       \
  F(exp) F(exp2) F(exp10) F(expm1) F(log) F(log2) F(log10) F(log1p) F(asinh) F(acosh) F(atanh) F(sin) F(cos) F(tan)      \
  F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(erf) F(erfc) F(cbrt) F(round)

enum { N = 1 << 13, MOST = 2 };

static float x[N], found[N];
static double wanted[N];

static int32_t bits_of(float number)
{
  int32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static int64_t bits_of_double(double number)
{
  int64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

/* How far apart two results are, in units in the last place of the second one; infinity is the number behind the
   largest. */
static double error_of(float found, double wanted)
{
  double one = fabs((double)found), other = fabs(wanted), unit;
  int64_t exponent = bits_of_double(other) & 0x7ffll << 52;
  exponent = exponent < (1023ll - 126) << 52 ? (1023ll - 126) << 52 : exponent;
  exponent = exponent > (1023ll + 127) << 52 ? (1023ll + 127) << 52 : exponent;
  exponent -= 23ll << 52;
  memcpy(&unit, &exponent, sizeof unit);
  one = one > 0x1p128 ? 0x1p128 : one;
  other = other > 0x1p128 ? 0x1p128 : other;
  double apart = fabs(one - other) / unit;
  int nan = found != found, other_nan = wanted != wanted;
  int apart_by_sign = (bits_of(found) < 0) != (bits_of_double(wanted) < 0);
  apart = apart_by_sign ? 0x1p30 : apart;
  return nan | other_nan ? nan & other_nan ? 0 : 0x1p30 : apart;
}

static int64_t worst_of(int n, const float *restrict x, const float *restrict found, const double *restrict wanted)
{
  int64_t worst = 0;
  (void)x;
  for (int i = 0; i < n; i++) {
    int64_t error = bits_of_double(error_of(found[i], wanted[i]));
    worst = error > worst ? error : worst;
  }
  return worst;
}

#define SWEPT(name)                                                                                                    \
  static void floats_##name(int n, const float *restrict x, float *restrict found)                                     \
  {                                                                                                                    \
    _Pragma("acc parallel loop") for (int i = 0; i < n; i++) found[i] = name##f(x[i]);                                 \
  }                                                                                                                    \
  static void doubles_##name(int n, const float *restrict x, double *restrict wanted)                                  \
  {                                                                                                                    \
    _Pragma("acc parallel loop") for (int i = 0; i < n; i++) wanted[i] = name((double)x[i]);                           \
  }                                                                                                                    \
  static int sweep_##name(void)                                                                                        \
  {                                                                                                                    \
    int failed = 0;                                                                                                    \
    double worst = 0;                                                                                                  \
    float where = 0;                                                                                                   \
    for (uint64_t first = 0; first < 1ull << 32; first += N) {                                                         \
      for (uint32_t k = 0; k < N; k++) {                                                                               \
        uint32_t bits = (uint32_t)first + k;                                                                           \
        memcpy(&x[k], &bits, sizeof bits);                                                                             \
      }                                                                                                                \
      floats_##name(N, x, found);                                                                                      \
      doubles_##name(N, x, wanted);                                                                                    \
      int64_t bits = worst_of(N, x, found, wanted);                                                                    \
      double error;                                                                                                    \
      memcpy(&error, &bits, sizeof bits);                                                                              \
      if (error <= worst)                                                                                              \
        continue;                                                                                                      \
      for (int k = 0; k < N; k++) {                                                                                    \
        error = error_of(found[k], wanted[k]);                                                                         \
        if (error > MOST)                                                                                              \
          error = error_of(found[k], (double)name##l((long double)x[k]));                                              \
        if (error > MOST + 0.5) {                                                                                      \
          failed = 1;                                                                                                  \
          printf("%sf(%a) = %a, not %a\n", #name, x[k], found[k], wanted[k]);                                          \
        }                                                                                                              \
        where = error > worst ? x[k] : where;                                                                          \
        worst = error > worst ? error : worst;                                                                         \
      }                                                                                                                \
    }                                                                                                                  \
    printf("%-6s %.2f at %a\n", #name, worst, where);                                                                  \
    fflush(stdout);                                                                                                    \
    return failed;                                                                                                     \
  }
UNARY(SWEPT)

static int is_meant(const char *name, int argc, char **argv)
{
  for (int k = 1; k < argc; k++)
    if (!strcmp(name, argv[k]))
      return 1;
  return argc == 1;
}

#define SWEEP(name)                                                                                                    \
  if (is_meant(#name, argc, argv))                                                                                     \
    failed |= sweep_##name();

int main(int argc, char **argv)
{
  int failed = 0;
  UNARY(SWEEP)
  return failed;
}
