// prints: 1.75 6 16 0.5
// launches: 4
/* Functions of the program's own that are called as the library's are. */
#include <stdio.h>

static double cbrt(double x)
{
  return x > 0 ? x + 0.5 : x - 0.5;
}

static float log2f(float x)
{
  return 3 * x;
}

static double floor(double x)
{
  return x + 7;
}

static float tanhf(float x)
{
  return x / 4;
}

int main(void)
{
  double x[40], y[40], z[40];
  float a[40], b[40];
  for (int i = 0; i < 40; i++)
    x[i] = i * 0.25;
#pragma acc parallel loop
  for (int i = 0; i < 40; i++)
    y[i] = cbrt(x[i]);
#pragma acc parallel loop
  for (int i = 0; i < 40; i++)
    a[i] = log2f((float)x[i]);
#pragma acc parallel loop
  for (int i = 0; i < 40; i++)
    z[i] = 2 * floor(x[i]);
#pragma acc parallel loop
  for (int i = 0; i < 40; i++)
    b[i] = tanhf((float)x[i]);
  printf("%g %g %g %g\n", y[5], a[8], z[4], b[8]);
  return 0;
}
