/* Product of two matrices, C = 2 A B + 4 C; A is m x k, B is k x n.
 *
 *   gemm [m [n [k [repeats]]]]
 */
#include "program.h"

#ifdef BLAS
#include "blas.h"

static void gemm(int m, int n, int k, real A[m][k], real B[k][n], real C[m][n])
{
  GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 2, A[0], k, B[0], n, 4, C[0], n);
}
#else
static void gemm(int m, int n, int k, real A[m][k], real B[k][n], real C[m][n])
{
#pragma acc kernels loop copyin(A[0:m][0:k], B[0:k][0:n]) copy(C[0:m][0:n])
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      real sum = 0;
      for (int l = 0; l < k; l++)
        sum += A[i][l] * B[l][j];
      C[i][j] = 2 * sum + 4 * C[i][j];
    }
}
#endif

int main(int argc, char **argv)
{
  int m = argument(argc, argv, 1, 512), n = argument(argc, argv, 2, m), k = argument(argc, argv, 3, m);
  int repeats = argument(argc, argv, 4, 1);
  size_t size = (size_t)m * n;
  real *A = vector((size_t)m * k), *B = vector((size_t)k * n), *C = vector(size);
  fill((size_t)m * k, A, -2, 2, 1);
  fill((size_t)k * n, B, -2, 2, 2);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, C, -2, 2, 3);
    start(&watch);
    gemm(m, n, k, (real(*)[k])A, (real(*)[n])B, (real(*)[n])C);
    stop(&watch);
  }

  print_checksum(C, size * sizeof(real));
  print_time(&watch);
  return 0;
}
