/* Covariances of the columns of a matrix. */
void covariance(int n, float samples[restrict n][n], float C[restrict n][n], float mean[restrict n])
{
#pragma acc kernels
  {
    for (int j = 0; j < n; j++) {
      mean[j] = 0;
      for (int i = 0; i < n; i++)
        mean[j] += samples[i][j];
      mean[j] /= n;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        samples[i][j] -= mean[j];
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++) {
        C[i][j] = 0;
        for (int k = 0; k < n; k++)
          C[i][j] += samples[k][i] * samples[k][j];
        C[j][i] = C[i][j];
      }
  }
}
