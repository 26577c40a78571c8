/* Loops each iteration of which needs what others have left, as WAVE has them: its eight benchmarks, and the loops that it
 * explains itself with. wavefronts.py counts what their kernels do. */

/* Jacobi, three points: every sweep has a copy behind it, without which the next would be a false dependence away */
void jacobi_1d(int steps, int n, float A[restrict n], float B[restrict n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = 0.25f * A[i - 1] + 0.5f * A[i] + 0.25f * A[i + 1];
    for (int i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
}

#include "two_levels/jacobi_2d.c"

/* Jacobi, seven points in three dimensions */
void jacobi_3d(int steps, int n, float A[restrict n][n][n], float B[restrict n][n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          B[i][j][k] = 0.125f * (A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k] + A[i][j + 1][k] + A[i][j][k - 1] +
                                 A[i][j][k + 1]) + 0.25f * A[i][j][k];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[i][j][k] = B[i][j][k];
  }
}

/* Jacobi, 27 points: all neighbours of a cube */
void jacobi_27(int steps, int n, float A[restrict n][n][n], float B[restrict n][n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++) {
          float sum = 0;
          for (int a = -1; a <= 1; a++)
            for (int b = -1; b <= 1; b++)
              for (int c = -1; c <= 1; c++)
                sum += A[i + a][j + b][k + c];
          B[i][j][k] = sum / 27;
        }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[i][j][k] = B[i][j][k];
  }
}

/* successive over-relaxation, three points: steps and places run by fronts 2 * t + i, in tiles */
void sor_1d(int steps, int n, float A[n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      A[i] = 0.25f * A[i - 1] + 0.5f * A[i] + 0.25f * A[i + 1];
}

/* successive over-relaxation, five points: rows of a step run by fronts */
void sor_2d(int steps, int n, float A[n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
}

/* fields by finite differences in time */
void fdtd_2d(int steps, int n, float ex[restrict n][n], float ey[restrict n][n], float hz[restrict n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < n; j++)
      ey[0][j] = t;
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        ey[i][j] -= 0.5f * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        ex[i][j] -= 0.5f * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        hz[i][j] -= 0.7f * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

/* heat, seven values of five points */
void heat_2d(int steps, int n, float A[restrict n][n], float B[restrict n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = A[i][j] + 0.125f * (A[i - 1][j] - 2 * A[i][j] + A[i + 1][j]) +
                  0.125f * (A[i][j - 1] - 2 * A[i][j] + A[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j];
  }
}

/* WAVE's example: only that A[i + 1] is read before it changes forbids fronts that are steps */
void example(int steps, int n, float A[n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n - 1; i++)
      A[i] = 0.5f * (A[i] + A[i + 1]);
}

/* the same with a copy of what is read before it changes, which the compiler makes of the example by itself */
void example_copied(int steps, int n, float A[restrict n], float B[restrict n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      B[i] = A[i];
    for (int i = 0; i < n - 1; i++)
      A[i] = 0.5f * (A[i] + B[i + 1]);
  }
}

/* corners ahead of each element, in place: as the example, in two dimensions */
void example_2d(int steps, int n, float A[n][n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        A[i][j] = 0.25f * (A[i][j] + A[i + 1][j] + A[i][j + 1] + A[i + 1][j + 1]);
}
