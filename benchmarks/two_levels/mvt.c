/* A matrix and its transpose times a vector each. */
void mvt(int n, float A[restrict n][n], float x[restrict n], float y[restrict n], float u[restrict n],
         float v[restrict n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        x[i] += A[i][j] * u[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        y[i] += A[j][i] * v[j];
  }
}
