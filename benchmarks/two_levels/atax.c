/* A matrix times a vector, and its transpose times the result. */
void atax(int n, float A[restrict n][n], float x[restrict n], float y[restrict n], float t[restrict n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      y[i] = 0;
    for (int i = 0; i < n; i++) {
      t[i] = 0;
      for (int j = 0; j < n; j++)
        t[i] += A[i][j] * x[j];
      for (int j = 0; j < n; j++)
        y[j] += A[i][j] * t[i];
    }
  }
}
