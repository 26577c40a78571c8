/* A layer's activations: tanh of some, softmax of rows. */
#include "everyday.h"

static void activate(int rows, int columns, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int j = 0; j < columns; j++) {
      float e = expf(tanhf(in[i * columns + j]));
      out[i * columns + j] = e;
      sum += e;
    }
    for (int j = 0; j < columns; j++)
      out[i * columns + j] /= sum;
  }
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 2000), repeats = argument(argc, argv, 2, 3), columns = 1000;
  size_t size = (size_t)rows * columns;
  float *in = allocate(size * sizeof *in), *out = allocate(size * sizeof *out);
  unsigned state = SEED;
  for (size_t i = 0; i < size; i++)
    in[i] = 6 * uniform(&state) - 3;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    activate(rows, columns, in, out);
    stop(&watch);
  }
  double all = 0;
  for (size_t i = 0; i < size; i++)
    all += out[i];
  require(fabs(all - rows) < 1e-3 * rows, "rows sum up to one");
  result("first", out[0]);
  result("last", out[size - 1]);
  print_time(&watch);
  return 0;
}
