#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

void gemm_l4(void *A_origin, void *B_origin, void *C_origin, int n);

void gemm_l4(void *A_origin, void *B_origin, void *C_origin, int n)
{
  float (*A)[n] = A_origin;
  float (*B)[n] = B_origin;
  float (*C)[n] = C_origin;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) {
        sum += A[i][k] * B[k][j];
      }
      C[i][j] = sum;
    }
  }
}
