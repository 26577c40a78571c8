/* The entropy of distributions, by logarithms. */
#include "everyday.h"

static double entropy(int n, const float *p)
{
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum -= p[i] * logf(p[i]);
  return sum;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 5000000), repeats = argument(argc, argv, 2, 3);
  float *p = allocate(n * sizeof *p);
  unsigned state = SEED;
  double total = 0, found = 0;
  for (int i = 0; i < n; i++)
    total += p[i] = 0.5f + uniform(&state);
  for (int i = 0; i < n; i++)
    p[i] /= (float)total;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    found = entropy(n, p);
    stop(&watch);
  }
  require(found > 0.9 * log(n) && found <= 1.0001 * log(n), "an even distribution has the most entropy");
  result("entropy", found);
  print_time(&watch);
  return 0;
}
