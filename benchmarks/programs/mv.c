/* Product of a matrix and a vector, y = A x.
 *
 *   mv [rows [columns [repeats]]]
 */
#include "program.h"

#ifdef BLAS
#include "blas.h"

static void multiply(int rows, int columns, real A[rows][columns], real x[columns], real y[rows])
{
  GEMV(CblasRowMajor, CblasNoTrans, rows, columns, 1, A[0], columns, x, 1, 0, y, 1);
}
#else
static void multiply(int rows, int columns, real A[rows][columns], real x[columns], real y[rows])
{
#pragma acc kernels loop copyin(A[0:rows][0:columns], x[0:columns]) copyout(y[0:rows])
  for (int i = 0; i < rows; i++) {
    real sum = 0;
#pragma acc loop reduction(+:sum)
    for (int j = 0; j < columns; j++)
      sum += A[i][j] * x[j];
    y[i] = sum;
  }
}
#endif

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 2048), columns = argument(argc, argv, 2, rows);
  int repeats = argument(argc, argv, 3, 1);
  real *A = vector((size_t)rows * columns), *x = vector(columns), *y = vector(rows);
  fill((size_t)rows * columns, A, -2, 2, 1);
  fill(columns, x, -3, 3, 2);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    start(&watch);
    multiply(rows, columns, (real(*)[columns])A, x, y);
    stop(&watch);
  }

  print_checksum(y, rows * sizeof(real));
  print_time(&watch);
  return 0;
}
