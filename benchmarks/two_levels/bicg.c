/* A matrix and its transpose times a vector each, in one pass. */
void bicg(int n, float A[restrict n][n], float p[restrict n], float q[restrict n], float r[restrict n],
          float s[restrict n])
{
#pragma acc kernels
  {
    for (int j = 0; j < n; j++)
      s[j] = 0;
    for (int i = 0; i < n; i++) {
      q[i] = 0;
      for (int j = 0; j < n; j++) {
        s[j] += r[i] * A[i][j];
        q[i] += A[i][j] * p[j];
      }
    }
  }
}
