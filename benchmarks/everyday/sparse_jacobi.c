/* Jacobi's iteration for a sparse system whose rows have very different lengths. */
#include "everyday.h"

static void sweep(int n, const int *start_, const int *column, const float *value, const float *diagonal, const float *right, const float *x, float *next)
{
#pragma acc parallel loop
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; i++) {
    float sum = right[i];
    for (int k = start_[i]; k < start_[i + 1]; k++)
      sum -= value[k] * x[column[k]];
    next[i] = sum / diagonal[i];
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 200000), repeats = argument(argc, argv, 2, 3), steps = 10;
  unsigned state = SEED;
  int *begin = allocate((n + 1) * sizeof *begin), entries = 0;
  for (int i = 0; i < n; i++) {
    begin[i] = entries;
    entries += i % 100 == 0 ? 200 : (int)(next_random(&state) % 10);
  }
  begin[n] = entries;
  int *column = allocate((entries + 1) * sizeof *column);
  float *value = allocate((entries + 1) * sizeof *value), *diagonal = allocate(n * sizeof *diagonal);
  float *right = allocate(n * sizeof *right), *x = allocate(n * sizeof *x), *next = allocate(n * sizeof *next);
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = begin[i]; k < begin[i + 1]; k++) {
      column[k] = (int)(next_random(&state) % (unsigned)n);
      value[k] = -0.5f * uniform(&state);
      sum += -value[k];
    }
    diagonal[i] = sum + 1;
    right[i] = 1; /* rows sum up to one: the solution is one everywhere */
  }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    memset(x, 0, n * sizeof *x);
    start(&watch);
    for (int t = 0; t < steps; t += 2) {
      sweep(n, begin, column, value, diagonal, right, x, next);
      sweep(n, begin, column, value, diagonal, right, next, x);
    }
    stop(&watch);
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    require(x[i] > 0 && x[i] < 1.0001f, "it nears the solution from below");
    sum += x[i];
  }
  result("sum", sum);
  print_time(&watch);
  return 0;
}
