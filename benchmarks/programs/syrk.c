/* Lower triangle of a symmetric update, C = 2 A A^T + 4 C; A is n x k.
 *
 *   syrk [n [k [repeats]]]
 */
#include "program.h"

#ifdef BLAS
#include "blas.h"

static void update(int n, int k, real A[n][k], real C[n][n])
{
  SYRK(CblasRowMajor, CblasLower, CblasNoTrans, n, k, 2, A[0], k, 4, C[0], n);
}
#else
static void update(int n, int k, real A[n][k], real C[n][n])
{
#pragma acc kernels loop copyin(A[0:n][0:k]) copy(C[0:n][0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      real sum = 0;
      for (int l = 0; l < k; l++)
        sum += A[i][l] * A[j][l];
      C[i][j] = 2 * sum + 4 * C[i][j];
    }
}
#endif

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 512), k = argument(argc, argv, 2, n), repeats = argument(argc, argv, 3, 1);
  size_t size = (size_t)n * n;
  real *A = vector((size_t)n * k), *C = vector(size);
  fill((size_t)n * k, A, -2, 2, 1);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, C, -2, 2, 2);
    start(&watch);
    update(n, k, (real(*)[k])A, (real(*)[n])C);
    stop(&watch);
  }

  print_checksum(C, size * sizeof(real));
  print_time(&watch);
  return 0;
}
