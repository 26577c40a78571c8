/* Two outer products added to a matrix, its transpose times one vector, and it times another. */
void gemver(int n, float a, float b, float A[restrict n][n], float c[restrict n], float d[restrict n],
            float e[restrict n], float f[restrict n], float w[restrict n], float x[restrict n], float y[restrict n],
            float z[restrict n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += c[i] * d[j] + e[i] * f[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        x[i] += b * A[j][i] * y[j];
    for (int i = 0; i < n; i++)
      x[i] += z[i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        w[i] += a * A[i][j] * x[j];
  }
}
