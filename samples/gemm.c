/* General matrix multiplication: C = alpha A B + beta C.
 *
 *   accshare-cc -O2 gemm.c -o gemm && ./gemm [m [n [k [repeats]]]]      (A is m x k, B is k x n)
 *
 * A block of threads works on TB_Y rows of A and TB_X columns of B; how many elements along k it keeps in
 * local memory at a time (the stars) is for the compiler to pick.
 */
#include "sample.h"

static void gemm(int m, int n, int k, float alpha, float A[m][k], float B[k][n], float beta, float C[m][n])
{
#pragma acc kernels loop copyin(A[0:m][0:k], B[0:k][0:n]) copy(C[0:m][0:n])
#pragma acc share(A[TB_Y][*]:coalesce, B[*][TB_X])
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int l = 0; l < k; l++)
        sum += A[i][l] * B[l][j];
      C[i][j] = alpha * sum + beta * C[i][j];
    }
}

/* Whole numbers from -2 to 2: every sum is then exact in a float, in any order. */
static void fill(int rows, int columns, float M[rows][columns], int seed)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      M[i][j] = (float)((i * 7 + j * 3 + seed) % 5 - 2);
}

int main(int argc, char **argv)
{
  int m = argument(argc, argv, 1, 512);
  int n = argument(argc, argv, 2, m);
  int k = argument(argc, argv, 3, m);
  int repeats = argument(argc, argv, 4, 1);
  float(*A)[k] = allocate(sizeof(float[m][k]));
  float(*B)[n] = allocate(sizeof(float[k][n]));
  float(*C)[n] = allocate(sizeof(float[m][n]));
  fill(m, k, A, 1);
  fill(k, n, B, 2);

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    fill(m, n, C, 3);
    start(&watch);
    gemm(m, n, k, 2.0f, A, B, 4.0f, C);
    stop(&watch);
  }

  print_checksum(C, sizeof(float[m][n]));
  print_time(&watch);
  free(A);
  free(B);
  free(C);
  return 0;
}
