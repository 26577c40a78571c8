/* Gamma correction of a picture by pow. */
#include "everyday.h"

static void correct(int n, const float *restrict in, float *restrict out, float gamma)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    out[i] = powf(in[i], gamma);
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 4000000), repeats = argument(argc, argv, 2, 3);
  float *in = allocate(n * sizeof *in), *out = allocate(n * sizeof *out), *back = allocate(n * sizeof *back);
  unsigned state = SEED;
  for (int i = 0; i < n; i++)
    in[i] = uniform(&state);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    correct(n, in, out, 2.2f);
    correct(n, out, back, 1 / 2.2f);
    stop(&watch);
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    require(fabsf(back[i] - in[i]) <= 1e-5f, "the inverse gives the picture back");
    sum += out[i];
  }
  result("sum", sum);
  print_time(&watch);
  return 0;
}
