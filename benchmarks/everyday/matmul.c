/* A product of matrices as a textbook writes it, the matrices flat. */
#include "everyday.h"

static void multiply(int n, const double *a, const double *b, double *c)
{
#pragma acc kernels
  {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 512), repeats = argument(argc, argv, 2, 3);
  size_t bytes = (size_t)n * n * sizeof(double);
  double *a = allocate(bytes), *b = allocate(bytes), *c = allocate(bytes);
  unsigned state = SEED;
  for (int i = 0; i < n * n; i++) {
    a[i] = next_random(&state) % 16;
    b[i] = next_random(&state) % 16;
  }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    multiply(n, a, b, c);
    stop(&watch);
  }
  double sum = 0;
  for (int j = 0; j < n; j++) {
    double left = 0, right = 0;
    for (int i = 0; i < n; i++)
      left += c[i * n + j];
    for (int k = 0; k < n; k++) {
      double column = 0;
      for (int i = 0; j < 3 && i < n; i++)
        column += a[i * n + k];
      right += column * b[k * n + j];
    }
    require(j >= 3 || left == right, "sums of columns agree");
    sum += left * (j % 5);
  }
  result("sum", sum);
  print_time(&watch);
  return 0;
}
