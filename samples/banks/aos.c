/* Product of matrices of complex numbers: C = A B.
 *
 *   accshare-cc -O2 aos.c -o aos && ./aos [n [repeats]]
 *
 * A complex number is a struct of two floats. In a tile of such structs the real parts of neighbouring columns lie
 * two floats apart, so that neighbouring threads meet in half of the banks; local memory therefore holds a tile of real
 * parts and one of imaginary parts.
 */
#include "../sample.h"

struct number {
  float re, im;
};

static void multiply(int n, struct number A[n][n], struct number B[n][n], struct number C[n][n])
{
#pragma acc kernels loop copyin(A[0:n][0:n], B[0:n][0:n]) copyout(C[0:n][0:n])
#pragma acc share(A[TB_Y][*], B[*][TB_X])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float re = 0.0f, im = 0.0f;
      for (int k = 0; k < n; k++) {
        re += A[i][k].re * B[k][j].re - A[i][k].im * B[k][j].im;
        im += A[i][k].re * B[k][j].im + A[i][k].im * B[k][j].re;
      }
      C[i][j].re = re;
      C[i][j].im = im;
    }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 512);
  int repeats = argument(argc, argv, 2, 1);
  struct number(*A)[n] = allocate(sizeof(struct number[n][n]));
  struct number(*B)[n] = allocate(sizeof(struct number[n][n]));
  struct number(*C)[n] = allocate(sizeof(struct number[n][n]));

  /* Small whole numbers: every sum is exact, fused or not. */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i][j] = (struct number){(float)((i + j) % 7 - 3), (float)((i * 3 + j) % 5 - 2)};
      B[i][j] = (struct number){(float)((i * 5 + j) % 5 - 2), (float)((i + j * 2) % 7 - 3)};
    }

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    multiply(n, A, B, C);
    stop(&watch);
  }

  print_checksum(C, sizeof(struct number[n][n]));
  print_time(&watch);
  free(A);
  free(B);
  free(C);
  return 0;
}
