// Variables that all functions know, as scratch and otherwise: what a region leaves in one is there where it is asked for.
// prints: only scratch 1356.00
// prints: read by the caller 39.50
// prints: read behind a call 13.00
// prints: read by another function 21.00
// prints: read where it stands 3.25
// prints: kept between calls 27.00
// prints: read in a loop 77.00
// prints: read through a pointer 26.00
// launches: 2
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40 };
static double a[N], b[N];
static double half, root, upper, behind, other, here, looped, pointed;

static void start(void)
{
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = 0;
  }
}

static double sum(void)
{
  double s = 0;
  for (int i = 0; i < N; i++)
    s += b[i] * (i % 4);
  return s;
}

// `half` and `root` are written first wherever they are read
static void scratch(void)
{
  if (a[0] > 0)
    half = a[0];
#pragma acc kernels
  for (int i = 0; i < N; i++) {
    half = a[i] * 0.5;
    root = i > 3 ? half + 2 : half;
    b[i] = half + root;
  }
}

static double scratch_again(double x)
{
  double result = 0;
#pragma acc kernels
  for (int i = 0; i < N; i++) {
    root = a[i] + x;
    a[i] = root * root - i * i - x * x;
  }
  half = sqrt(x);
  result = half * 2;
  return result;
}

static void for_caller(void)
{
#pragma acc kernels
  for (int i = 0; i < N; i++) {
    upper = a[i] + 0.5;
    b[i] = upper * 2;
  }
}

static double asks(void)
{
  upper = 1;
  for_caller();
  return upper;
}

static void leaves(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    behind = a[i] + 1;
    b[i] = behind;
  }
}

static int by_number(const void *x, const void *y)
{
  leaves(13);
  return *(const int *)x - *(const int *)y;
}

static double behind_a_call(void)
{
  int numbers[] = { 2, 1 };
  behind = 5;
  qsort(numbers, 2, sizeof numbers[0], by_number);
  return behind;
}

static double others(void)
{
  return other;
}

static double by_another(void)
{
#pragma acc kernels
  for (int i = 0; i < 21; i++) {
    other = a[i] + 1;
    b[i] = other;
  }
  return others();
}

static double where_it_stands(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    here = a[i] + 0.25;
    b[i] = here;
  }
  return here;
}

static double kept(int n)
{
  static double last;
  double before = last;
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    last = a[i];
    b[i] = last * 2;
  }
  return before;
}

static double in_a_loop(void)
{
  double all = 0;
  for (int k = 0; k < 3; k++) {
    if (k > 0)
      all += looped;
#pragma acc kernels
    for (int i = 0; i < N; i++) {
      looped = a[i] - k + 0.0;
      b[i] = looped;
    }
  }
  return all;
}

static double through_a_pointer(void)
{
  double *p = &pointed;
#pragma acc kernels
  for (int i = 0; i < 27; i++) {
    pointed = a[i];
    b[i] = pointed;
  }
  return *p;
}

int main(void)
{
  start();
  scratch();
  double found = scratch_again(4);
  printf("only scratch %.2f\n", sum() + found + a[3]);
  start();
  printf("read by the caller %.2f\n", asks());
  printf("read behind a call %.2f\n", behind_a_call());
  printf("read by another function %.2f\n", by_another());
  printf("read where it stands %.2f\n", where_it_stands(4));
  kept(28);
  printf("kept between calls %.2f\n", kept(3));
  printf("read in a loop %.2f\n", in_a_loop());
  printf("read through a pointer %.2f\n", through_a_pointer());
  return 0;
}
