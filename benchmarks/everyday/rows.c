/* A matrix as a table of pointers to rows: row sums, scaled rows, and their sum. */
#include "everyday.h"

static float normalise(int rows, int columns, float **a, float *norm)
{
  float total = 0;
#pragma acc parallel loop reduction(+ : total)
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int j = 0; j < columns; j++)
      sum += a[i][j] * a[i][j];
    norm[i] = sqrtf(sum);
    for (int j = 0; j < columns; j++)
      a[i][j] = a[i][j] / norm[i];
    total += norm[i];
  }
  return total;
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 3000), repeats = argument(argc, argv, 2, 5), columns = rows;
  float **a = allocate(rows * sizeof *a), *norm = allocate(rows * sizeof *norm), total = 0;
  unsigned state = SEED;
  for (int i = 0; i < rows; i++) {
    a[i] = allocate(columns * sizeof *a[i]);
    for (int j = 0; j < columns; j++)
      a[i][j] = uniform(&state) + 0.1f;
  }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    total = normalise(rows, columns, a, norm);
    stop(&watch);
  }
  require(repeats == 1 || fabsf(total - rows) < 1e-3f * rows, "normalised rows have norm one");
  result("total", total);
  result("element", a[rows / 2][columns / 3]);
  print_time(&watch);
  return 0;
}
