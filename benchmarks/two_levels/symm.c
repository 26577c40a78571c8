/* C = a A B + b C, where of A the lower triangle is stored. */
void symm(int n, float a, float b, float A[restrict n][n], float B[restrict n][n], float C[restrict n][n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += a * B[i][j] * A[i][k];
        sum += B[k][j] * A[i][k];
      }
      C[i][j] = b * C[i][j] + a * B[i][j] * A[i][i] + a * sum;
    }
}
