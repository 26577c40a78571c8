/* Each row of a cube times a matrix. */
void doitgen(int n, float A[restrict n][n][n], float W[restrict n][n], float sums[restrict n][n][n])
{
#pragma acc kernels
  for (int r = 0; r < n; r++)
    for (int q = 0; q < n; q++) {
      for (int p = 0; p < n; p++) {
        sums[r][q][p] = 0;
        for (int s = 0; s < n; s++)
          sums[r][q][p] += A[r][q][s] * W[s][p];
      }
      for (int p = 0; p < n; p++)
        A[r][q][p] = sums[r][q][p];
    }
}
