/* How many steps points of the plane stay near the origin. */
#include "everyday.h"

static long iterate(int n, int *steps)
{
  long total = 0;
#pragma acc parallel loop collapse(2) reduction(+ : total)
#pragma omp parallel for reduction(+ : total) schedule(dynamic)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float cr = -2 + 3.0f * j / n, ci = -1.5f + 3.0f * i / n, x = 0, y = 0;
      int k = 0;
      while (k < 200 && x * x + y * y < 4) {
        float t = x * x - y * y + cr;
        y = 2 * x * y + ci;
        x = t;
        k++;
      }
      steps[i * n + j] = k;
      total += k;
    }
  return total;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 600), repeats = argument(argc, argv, 2, 3);
  int *steps = allocate((size_t)n * n * sizeof *steps);
  long total = 0;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    total = iterate(n, steps);
    stop(&watch);
  }
  require(n < 6 || steps[n / 2 * n + 2 * n / 3] == 200, "the origin stays");
  result("mean", (double)total / n / n);
  print_time(&watch);
  return 0;
}
