/* Products with symmetric and triangular matrices, in the order in which textbooks write them:
 * C = 2 A B + 4 C where of A the lower triangle is stored, then C + A B^T + B A^T into a lower triangle, then B = L B.
 *
 *   symmetric [n [repeats]]
 */
#include "program.h"

static void multiply(int n, real A[restrict n][n], real B[restrict n][n], real C[restrict n][n], real D[restrict n][n])
{
#pragma acc kernels copyin(A[0:n][0:n]) copy(B[0:n][0:n], C[0:n][0:n], D[0:n][0:n])
  {
    for (int i = 0; i < n; i++)
#pragma omp parallel for
      for (int j = 0; j < n; j++) {
        real below = 0;
        for (int k = 0; k < i; k++) {
          C[k][j] += 2 * B[i][j] * A[i][k];
          below += B[k][j] * A[i][k];
        }
        C[i][j] = 4 * C[i][j] + 2 * B[i][j] * A[i][i] + 2 * below;
      }
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j <= i; j++)
          D[i][j] += A[j][k] * B[i][k] + B[j][k] * A[i][k];
    for (int i = 0; i < n; i++)
#pragma omp parallel for
      for (int j = 0; j < n; j++)
        for (int k = i + 1; k < n; k++)
          B[i][j] += A[k][i] * B[k][j];
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 512), repeats = argument(argc, argv, 2, 1);
  size_t size = (size_t)n * n;
  real *A = vector(size), *B = vector(size), *C = vector(3 * size);
  fill(size, A, -1, 1, 1);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, B, -1, 1, 2);
    fill(2 * size, C, -1, 1, 3);
    start(&watch);
    multiply(n, (real(*)[n])A, (real(*)[n])B, (real(*)[n])C, (real(*)[n])(C + size));
    stop(&watch);
    for (size_t i = 0; i < size; i++)
      C[2 * size + i] = B[i];
  }

  print_checksum(C, 3 * size * sizeof(real));
  print_time(&watch);
  return 0;
}
