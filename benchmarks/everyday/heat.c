/* Heat in a plate whose edge is kept warm, two grids in turn. */
#include "everyday.h"

static void step(int n, const float *now, float *next)
{
#pragma acc parallel loop collapse(2)
#pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      next[i * n + j] = now[i * n + j] + 0.2f * (now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] +
                                                 now[i * n + j + 1] - 4 * now[i * n + j]);
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1000), repeats = argument(argc, argv, 2, 3), steps = 100;
  size_t bytes = (size_t)n * n * sizeof(float);
  float *now = allocate(bytes), *next = allocate(bytes);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    memset(now, 0, bytes);
    for (int k = 0; k < n; k++)
      now[k] = now[(n - 1) * n + k] = now[k * n] = now[k * n + n - 1] = 1;
    memcpy(next, now, bytes);
    start(&watch);
    for (int t = 0; t < steps; t++) {
      step(n, now, next);
      float *other = now;
      now = next;
      next = other;
    }
    stop(&watch);
  }
  double heat = 0;
  for (int i = 0; i < n * n; i++) {
    require(now[i] >= 0 && now[i] <= 1.00001f, "no place is warmer than the edge");
    heat += now[i];
  }
  result("heat", heat);
  print_time(&watch);
  return 0;
}
