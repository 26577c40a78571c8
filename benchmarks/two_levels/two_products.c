/* Two products of matrices, one of the other's result. */
void two_products(int n, float A[restrict n][n], float B[restrict n][n], float C[restrict n][n], float D[restrict n][n],
                  float E[restrict n][n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        D[i][j] = 0;
        for (int k = 0; k < n; k++)
          D[i][j] += A[i][k] * B[k][j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        E[i][j] = 0;
        for (int k = 0; k < n; k++)
          E[i][j] += D[i][k] * C[k][j];
      }
  }
}
