/* Inner product of two vectors.
 *
 *   dot [n [repeats]]
 */
#include "program.h"

#ifdef BLAS
#include "blas.h"

static real dot(int n, real a[n], real b[n]) { return DOT(n, a, 1, b, 1); }
#else
static real dot(int n, real a[n], real b[n])
{
  real sum = 0;
#pragma acc parallel loop copyin(a[0:n], b[0:n]) reduction(+:sum)
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}
#endif

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1 << 20), repeats = argument(argc, argv, 2, 1);
  real *a = vector(n), *b = vector(n), sum = 0;
  fill(n, a, -1, 1, 1);
  fill(n, b, -1, 1, 2);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    start(&watch);
    sum = dot(n, a, b);
    stop(&watch);
  }

  print_checksum(&sum, sizeof sum);
  print_time(&watch);
  return 0;
}
