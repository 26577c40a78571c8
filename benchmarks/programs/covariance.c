/* Covariances of the columns of a table, but for a factor. Rows come in pairs whose sum is 2, so that all means are 1.
 *
 *   covariance [pairs of rows [columns [repeats]]]
 */
#include "program.h"

static void covariances(int rows, int columns, real data[restrict rows][columns], real mean[restrict columns],
                        real result[restrict columns][columns])
{
#pragma acc kernels copy(data[0:rows][0:columns]) copyout(mean[0:columns], result[0:columns][0:columns])
  {
#pragma omp parallel for
    for (int j = 0; j < columns; j++) {
      mean[j] = 0;
      for (int i = 0; i < rows; i++)
        mean[j] += data[i][j];
      mean[j] /= rows;
    }
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        data[i][j] -= mean[j];
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < columns; i++)
      for (int j = i; j < columns; j++) {
        result[i][j] = 0;
        for (int k = 0; k < rows; k++)
          result[i][j] += data[k][i] * data[k][j];
        result[j][i] = result[i][j];
      }
  }
}

int main(int argc, char **argv)
{
  int rows = 2 * argument(argc, argv, 1, 256), columns = argument(argc, argv, 2, rows);
  int repeats = argument(argc, argv, 3, 1);
  size_t size = (size_t)rows * columns;
  real *data = vector(size), *mean = vector(columns), *result = vector((size_t)columns * columns);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size / 2, data, 0, 2, 1);
    for (size_t i = 0; i < size / 2; i++)
      data[size / 2 + i] = 2 - data[i];
    start(&watch);
    covariances(rows, columns, (real(*)[columns])data, mean, (real(*)[columns])result);
    stop(&watch);
  }

  print_checksum(result, (size_t)columns * columns * sizeof(real));
  print_time(&watch);
  return 0;
}
