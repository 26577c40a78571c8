/* A matrix times a vector, and its transpose times the result: y = A^T (A x).
 *
 *   atax [rows [columns [repeats]]]
 */
#include "program.h"

#ifdef BLAS
#include "blas.h"

static void multiply(int rows, int columns, real A[rows][columns], real x[columns], real y[columns], real Ax[rows])
{
  GEMV(CblasRowMajor, CblasNoTrans, rows, columns, 1, A[0], columns, x, 1, 0, Ax, 1);
  GEMV(CblasRowMajor, CblasTrans, rows, columns, 1, A[0], columns, Ax, 1, 0, y, 1);
}
#else
static void multiply(int rows, int columns, real A[rows][columns], real x[columns], real y[columns], real Ax[rows])
{
#pragma acc data copyin(A[0:rows][0:columns], x[0:columns]) create(Ax[0:rows]) copyout(y[0:columns])
  {
#pragma acc kernels loop present(A[0:rows][0:columns], x[0:columns], Ax[0:rows])
    for (int i = 0; i < rows; i++) {
      real sum = 0;
#pragma acc loop reduction(+:sum)
      for (int j = 0; j < columns; j++)
        sum += A[i][j] * x[j];
      Ax[i] = sum;
    }
#pragma acc kernels loop present(A[0:rows][0:columns], Ax[0:rows], y[0:columns])
    for (int j = 0; j < columns; j++) {
      real sum = 0;
#pragma acc loop reduction(+:sum)
      for (int i = 0; i < rows; i++)
        sum += A[i][j] * Ax[i];
      y[j] = sum;
    }
  }
}
#endif

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 2048), columns = argument(argc, argv, 2, rows);
  int repeats = argument(argc, argv, 3, 1);
  size_t size = (size_t)rows * columns;
  real *A = vector(size), *x = vector(columns), *y = vector(columns), *Ax = vector(rows);
  fill(size, A, -1, 1, 1);
  fill(columns, x, -1, 1, 2);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    start(&watch);
    multiply(rows, columns, (real(*)[columns])A, x, y, Ax);
    stop(&watch);
  }

  print_checksum(y, columns * sizeof(real));
  print_time(&watch);
  return 0;
}
