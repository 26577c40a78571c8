/* Three products of matrices, the last one of the others' results. */
void three_products(int n, float A[restrict n][n], float B[restrict n][n], float C[restrict n][n],
                    float D[restrict n][n], float E[restrict n][n], float F[restrict n][n], float G[restrict n][n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        E[i][j] = 0;
        for (int k = 0; k < n; k++)
          E[i][j] += A[i][k] * B[k][j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        F[i][j] = 0;
        for (int k = 0; k < n; k++)
          F[i][j] += C[i][k] * D[k][j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        G[i][j] = 0;
        for (int k = 0; k < n; k++)
          G[i][j] += E[i][k] * F[k][j];
      }
  }
}
