/* C = a A B^T + a B A^T + b C. */
void syr2k(int n, float a, float b, float A[restrict n][n], float B[restrict n][n], float C[restrict n][n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= b;
      for (int k = 0; k < n; k++)
        C[i][j] += a * A[i][k] * B[j][k] + a * B[i][k] * A[j][k];
    }
}
