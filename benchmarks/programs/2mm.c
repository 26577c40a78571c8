/* Product of three matrices, D = A B C + D; A is m x k, B is k x n, C is n x l.
 *
 *   2mm [m [n [k [l [repeats]]]]]
 */
#include "program.h"

#ifdef BLAS
#include "blas.h"

static void product(int m, int n, int k, int l, real A[m][k], real B[k][n], real C[n][l], real D[m][l], real AB[m][n])
{
  GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, A[0], k, B[0], n, 0, AB[0], n);
  GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, l, n, 1, AB[0], n, C[0], l, 1, D[0], l);
}
#else
static void product(int m, int n, int k, int l, real A[m][k], real B[k][n], real C[n][l], real D[m][l], real AB[m][n])
{
#pragma acc data copyin(A[0:m][0:k], B[0:k][0:n], C[0:n][0:l]) copy(D[0:m][0:l]) create(AB[0:m][0:n])
  {
#pragma acc kernels loop present(A[0:m][0:k], B[0:k][0:n], AB[0:m][0:n])
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        real sum = 0;
        for (int p = 0; p < k; p++)
          sum += A[i][p] * B[p][j];
        AB[i][j] = sum;
      }
#pragma acc kernels loop present(AB[0:m][0:n], C[0:n][0:l], D[0:m][0:l])
    for (int i = 0; i < m; i++)
      for (int j = 0; j < l; j++) {
        real sum = D[i][j];
        for (int p = 0; p < n; p++)
          sum += AB[i][p] * C[p][j];
        D[i][j] = sum;
      }
  }
}
#endif

int main(int argc, char **argv)
{
  int m = argument(argc, argv, 1, 512), n = argument(argc, argv, 2, m), k = argument(argc, argv, 3, m);
  int l = argument(argc, argv, 4, m), repeats = argument(argc, argv, 5, 1);
  size_t size = (size_t)m * l;
  real *A = vector((size_t)m * k), *B = vector((size_t)k * n), *C = vector((size_t)n * l);
  real *D = vector(size), *AB = vector((size_t)m * n);
  fill((size_t)m * k, A, -1, 1, 1);
  fill((size_t)k * n, B, -1, 1, 2);
  fill((size_t)n * l, C, -1, 1, 3);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, D, -1, 1, 4);
    start(&watch);
    product(m, n, k, l, (real(*)[k])A, (real(*)[n])B, (real(*)[l])C, (real(*)[l])D, (real(*)[n])AB);
    stop(&watch);
  }

  print_checksum(D, size * sizeof(real));
  print_time(&watch);
  return 0;
}
