/* Mathematical functions in an offloaded loop and in the host's: nanoseconds for one number, least of several runs by
   turns in one process, and how many times faster the device's are.

     accshare-cc -O3 -march=native benchmarks/functions.c -o functions -lm
     ACCSHARE_BREAK_EVEN=0 taskset -c 0 ./functions          # on one core; names of functions may follow */
#define _GNU_SOURCE /* exp10 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(F)                                                                                                   \
  F(exp, -20, 20) F(exp2, -20, 20) F(exp10, -20, 20) F(expm1, -2, 2) F(log, 0.01, 100) F(log2, 0.01, 100) F(log10, 0.01, 100)              \
  F(log1p, -0.5, 3) F(asinh, -5, 5) F(acosh, 1, 10) F(atanh, -0.9, 0.9) F(cbrt, -50, 50) F(sin, -10, 10) F(cos, -10, 10) F(tan, -10, 10) F(asin, -1, 1) F(acos, -1, 1)       \
  F(atan, -5, 5) F(sinh, -3, 3) F(cosh, -3, 3) F(tanh, -3, 3) F(erf, -3, 3) F(erfc, -3, 5) F(round, -9, 9)
#define FUNCTIONS_OF_TWO(F) F(pow, 0.1, 10) F(hypot, 0.1, 10) F(atan2, 0.1, 10) F(fmod, 0.1, 10) F(fdim, 0.1, 10) F(copysign, -9, 9)

enum { N = 1 << 16, RUNS = 20 };

static double now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define MEASURED(name, T, call)                                                                                        \
  static void device_##name##_##T(int n, const T *restrict x, const T *restrict y, T *restrict r)                      \
  {                                                                                                                    \
    (void)y;                                                                                                           \
    _Pragma("acc parallel loop") for (int i = 0; i < n; i++) r[i] = call;                                              \
  }                                                                                                                    \
  static void host_##name##_##T(int n, const T *restrict x, const T *restrict y, T *restrict r)                        \
  {                                                                                                                    \
    (void)y;                                                                                                           \
    for (int i = 0; i < n; i++)                                                                                        \
      r[i] = call;                                                                                                     \
  }                                                                                                                    \
  static void measure_##name##_##T(double low, double high)                                                            \
  {                                                                                                                    \
    static T x[N], y[N], r[N];                                                                                         \
    double device = 1, host = 1;                                                                                       \
    for (int i = 0; i < N; i++) {                                                                                      \
      x[i] = (T)(low + (high - low) * ((i * 7919L) % N) / N);                                                          \
      y[i] = (T)(low + (high - low) * ((i * 104729L) % N) / N);                                                        \
    }                                                                                                                  \
    device_##name##_##T(N, x, y, r);                                                                                   \
    for (int k = 0; k < RUNS; k++) {                                                                                   \
      double begin = now();                                                                                            \
      device_##name##_##T(N, x, y, r);                                                                                 \
      double between = now();                                                                                          \
      host_##name##_##T(N, x, y, r);                                                                                   \
      double end = now();                                                                                              \
      device = fmin(device, between - begin);                                                                          \
      host = fmin(host, end - between);                                                                                \
    }                                                                                                                  \
    printf("%-6s %-6s %6.2f %6.2f %5.1f\n", #name, #T, device / N * 1e9, host / N * 1e9, host / device);               \
  }
#define ONE(name, low, high) MEASURED(name, float, name##f(x[i])) MEASURED(name, double, name(x[i]))
#define TWO(name, low, high) MEASURED(name, float, name##f(x[i], y[i])) MEASURED(name, double, name(x[i], y[i]))
FUNCTIONS(ONE)
FUNCTIONS_OF_TWO(TWO)

static int wanted(const char *name, int argc, char **argv)
{
  for (int k = 1; k < argc; k++)
    if (!strcmp(name, argv[k]))
      return 1;
  return argc == 1;
}

#define MEASURE(name, low, high)                                                                                       \
  if (wanted(#name, argc, argv)) {                                                                                     \
    measure_##name##_float(low, high);                                                                                 \
    measure_##name##_double(low, high);                                                                                \
  }

int main(int argc, char **argv)
{
  puts("function      device   host times");
  FUNCTIONS(MEASURE)
  FUNCTIONS_OF_TWO(MEASURE)
  return 0;
}
