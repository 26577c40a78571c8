// prints: done
// launches: 4
/* What a program changes of how it computes, or keeps in `errno`, counts for regions as for other loops. */
#define _GNU_SOURCE /* feenableexcept */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

enum { N = 1 << 16 };
static double x[N], y[N];
static int failed;

static void check(int good, const char *what)
{
  if (!good) {
    failed = 1;
    printf("%s\n", what);
  }
}

static void thirds(void)
{
#pragma acc parallel loop copyin(x) copyout(y)
  for (int i = 0; i < N; i++)
    y[i] = x[i] / 3;
}

static void exponentials(void)
{
#pragma acc parallel loop copyin(x) copyout(y)
  for (int i = 0; i < N; i++)
    y[i] = exp(x[i]);
}

static void roots(void)
{
#pragma acc parallel loop copyin(x) copyout(y)
  for (int i = 0; i < N; i++)
    y[i] = x[i] > 0 ? sqrt(x[i]) : 0;
}

static void powers(void)
{
#pragma acc parallel loop copyin(x) copyout(y)
  for (int i = 0; i < N; i++)
    y[i] = pow(x[i], -1.5);
}

int main(void)
{
  static const int ways[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST };
  for (int i = 0; i < N; i++)
    x[i] = (i + 0.1) * 1e-3;
  errno = 4711;
  thirds();
  check(errno == 4711, "the first region changed errno");
  for (int k = 0; k < 4; k++) {
    int different = 0, apart = 0;
    fesetround(ways[k]);
    thirds();
    for (int i = 0; i < N; i++) {
      volatile double number = x[i];
      different += y[i] != number / 3;
    }
    check(!different, "a quotient is rounded in another way");
    exponentials();
    for (int i = 0; i < N; i++)
      apart += !(fabs(y[i] - exp(x[i])) <= 4e-16 * y[i]);
    check(!apart, "an exponential depends on the way of rounding");
    check(fegetround() == ways[k], "a region changed the way of rounding");
  }
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO);
  x[7] = -1;
  roots();
  check(y[7] == 0 && y[8] == sqrt(x[8]), "a root is wrong");
  fedisableexcept(FE_INVALID | FE_DIVBYZERO);
  x[7] = 0;
  powers();
  check(isinf(y[7]), "a power of 0 is finite");
  check(errno == 4711, "a region changed errno");
  puts("done");
  return failed;
}
