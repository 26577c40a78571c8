/* The backward substitution of a pentadiagonal system along x, for each y and z. */
void penta_substitution(int n, float lhs[restrict 5][n][n][n], float rhs[restrict 3][n][n][n])
{
#pragma acc kernels
  for (int m = 0; m < 3; m++)
    for (int k = 1; k < n - 1; k++)
      for (int j = 1; j < n - 1; j++)
        for (int i = n - 3; i >= 0; i--)
          rhs[m][k][j][i] -= lhs[3][k][j][i] * rhs[m][k][j][i + 1] + lhs[4][k][j][i] * rhs[m][k][j][i + 2];
}
