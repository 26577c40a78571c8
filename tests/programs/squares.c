// prints: 0 0 3.5
// launches: 3
/* A square by pow is the product, rounded correctly, as host compilers have it. */
#include <math.h>
#include <stdio.h>

int main(void)
{
  static double x[5000], y[5000];
  static float u[5000], v[5000];
  double cubes[9];
  int wrong = 0, wrongf = 0;
  for (int i = 0; i < 5000; i++) {
    x[i] = i * 0.37 + 1.0 / (i + 3);
    u[i] = (float)x[i];
  }
#pragma acc parallel loop
  for (int i = 0; i < 5000; i++)
    y[i] = pow(x[i] - 7, 2);
#pragma acc parallel loop
  for (int i = 0; i < 5000; i++)
    v[i] = powf(u[i], 2.0f);
#pragma acc parallel loop
  for (int i = 0; i < 9; i++)
    cubes[i] = pow(i, 3) - pow(i, 2) - 0.5;
  for (int i = 0; i < 5000; i++) {
    wrong += y[i] != (x[i] - 7) * (x[i] - 7);
    wrongf += v[i] != u[i] * u[i];
  }
  printf("%d %d %g\n", wrong, wrongf, cubes[2]);
  return 0;
}
