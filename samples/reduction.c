/* How far apart are two fields? The sum of squared differences, and the largest one.
 *
 *   accshare-cc -O2 reduction.c -lm -o reduction && ./reduction [n [repeats]]
 *
 * The reduction clauses say that the order of the additions doesn't matter.
 */
#include "sample.h"

#include <math.h>

static void compare(int n, const double *a, const double *b, double *squares, double *largest)
{
  double sum = 0.0, worst = 0.0;
#pragma acc parallel loop copyin(a[0:n], b[0:n]) reduction(+:sum) reduction(max:worst)
  for (int i = 0; i < n; i++) {
    double difference = fabs(a[i] - b[i]);
    sum += difference * difference;
    worst = fmax(worst, difference);
  }
  *squares = sum;
  *largest = worst;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1 << 20);
  int repeats = argument(argc, argv, 2, 1);
  double *a = allocate(sizeof(double[n]));
  double *b = allocate(sizeof(double[n]));

  /* Quarters: their squares add up exactly in a double, in any order. */
  for (int i = 0; i < n; i++) {
    a[i] = 0.25 * (i % 1021);
    b[i] = 0.25 * (i % 509);
  }

  double squares = 0.0, largest = 0.0;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    compare(n, a, b, &squares, &largest);
    stop(&watch);
  }

  printf("checksum %.17g %.17g\n", squares, largest);
  print_time(&watch);
  free(a);
  free(b);
  return 0;
}
