/* Two products of a matrix and a vector, one with its transpose: x += A u, y += A^T v.
 *
 *   mvt [n [repeats]]
 */
#include "program.h"

#ifdef BLAS
#include "blas.h"

static void multiply(int n, real A[n][n], real u[n], real v[n], real x[n], real y[n])
{
  GEMV(CblasRowMajor, CblasNoTrans, n, n, 1, A[0], n, u, 1, 1, x, 1);
  GEMV(CblasRowMajor, CblasTrans, n, n, 1, A[0], n, v, 1, 1, y, 1);
}
#else
static void multiply(int n, real A[n][n], real u[n], real v[n], real x[n], real y[n])
{
#pragma acc data copyin(A[0:n][0:n], u[0:n], v[0:n]) copy(x[0:n], y[0:n])
  {
#pragma acc kernels loop present(A[0:n][0:n], u[0:n], x[0:n])
    for (int i = 0; i < n; i++) {
      real sum = x[i];
#pragma acc loop reduction(+:sum)
      for (int j = 0; j < n; j++)
        sum += A[i][j] * u[j];
      x[i] = sum;
    }
#pragma acc kernels loop present(A[0:n][0:n], v[0:n], y[0:n])
    for (int i = 0; i < n; i++) {
      real sum = y[i];
#pragma acc loop reduction(+:sum)
      for (int j = 0; j < n; j++)
        sum += A[j][i] * v[j];
      y[i] = sum;
    }
  }
}
#endif

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 2048), repeats = argument(argc, argv, 2, 1);
  size_t size = (size_t)n * n;
  real *A = vector(size), *u = vector(n), *v = vector(n), *results = vector(2 * (size_t)n);
  fill(size, A, -2, 2, 1);
  fill(n, u, -3, 3, 2);
  fill(n, v, -3, 3, 3);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(2 * (size_t)n, results, -3, 3, 4);
    start(&watch);
    multiply(n, (real(*)[n])A, u, v, results, results + n);
    stop(&watch);
  }

  print_checksum(results, 2 * n * sizeof(real));
  print_time(&watch);
  return 0;
}
