/* Three points of a row, and a copy back, so many times. */
void jacobi_2d_alt(int n, int times, float A[restrict n][n], float B[restrict n][n])
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.33333f * (A[i][j] + A[i][j - 1] + A[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j];
  }
}
