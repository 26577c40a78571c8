/* The coefficients of a pentadiagonal system along x, for each y and z. */
void penta_coefficients(int n, float us[restrict n][n][n], float rho[restrict n][n][n], float lhs[restrict 5][n][n][n])
{
#pragma acc kernels
  for (int k = 1; k < n - 1; k++)
    for (int j = 1; j < n - 1; j++) {
      for (int i = 1; i < n - 1; i++) {
        lhs[0][k][j][i] = 0;
        lhs[1][k][j][i] = -0.5f * us[k][j][i - 1] - rho[k][j][i - 1];
        lhs[2][k][j][i] = 1 + 2 * rho[k][j][i];
        lhs[3][k][j][i] = 0.5f * us[k][j][i + 1] - rho[k][j][i + 1];
        lhs[4][k][j][i] = 0;
      }
    }
}
