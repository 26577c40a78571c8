/* Bit error rates of a channel: erfc and log10 over signal to noise ratios. */
#include "everyday.h"

static void rates(int n, const double *ratio, double *rate, double *decibel)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    rate[i] = 0.5 * erfc(sqrt(ratio[i]));
    decibel[i] = 10 * log10(rate[i]);
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1000000), repeats = argument(argc, argv, 2, 3);
  double *ratio = allocate(n * sizeof *ratio), *rate = allocate(n * sizeof *rate), *decibel = allocate(n * sizeof *decibel);
  for (int i = 0; i < n; i++)
    ratio[i] = 20.0 * i / n;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    rates(n, ratio, rate, decibel);
    stop(&watch);
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    require(rate[i] > 0 && rate[i] <= 0.5 && (i == 0 || rate[i] <= rate[i - 1]), "errors get rarer");
    sum += decibel[i];
  }
  result("decibel", sum);
  print_time(&watch);
  return 0;
}
