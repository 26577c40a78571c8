/* Waves from several sources on a plane: sums of sines. */
#include "everyday.h"

#define SOURCES 4

static void superpose(int n, double *height, const double *x, const double *y, double time)
{
#pragma acc parallel loop collapse(2)
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int s = 0; s < SOURCES; s++) {
        double dx = i * (1.0 / n) - x[s], dy = j * (1.0 / n) - y[s];
        sum += sin(40 * sqrt(dx * dx + dy * dy) - time);
      }
      height[i * n + j] = sum;
    }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1000), repeats = argument(argc, argv, 2, 3);
  double *height = allocate((size_t)n * n * sizeof *height), x[SOURCES], y[SOURCES];
  unsigned state = SEED;
  for (int s = 0; s < SOURCES; s++) {
    x[s] = uniform(&state);
    y[s] = uniform(&state);
  }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    superpose(n, height, x, y, 0.5);
    stop(&watch);
  }
  double energy = 0;
  for (int i = 0; i < n * n; i++) {
    require(fabs(height[i]) <= SOURCES, "no wave is higher than all sources together");
    energy += height[i] * height[i];
  }
  result("energy", energy);
  print_time(&watch);
  return 0;
}
