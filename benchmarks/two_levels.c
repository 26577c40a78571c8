/* The loops that SUPER (CC 2017) is measured with, as a textbook has them: products, sums of rows and columns, stencils,
 * a Fourier sum over samples, and two steps of a pentadiagonal solver. two_levels.py counts what their kernels do. */
#include <math.h>

void two_products(int n, float A[n][n], float B[n][n], float C[n][n], float D[n][n], float E[n][n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        D[i][j] = 0;
        for (int k = 0; k < n; k++)
          D[i][j] += A[i][k] * B[k][j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        E[i][j] = 0;
        for (int k = 0; k < n; k++)
          E[i][j] += D[i][k] * C[k][j];
      }
  }
}

void three_products(int n, float A[n][n], float B[n][n], float C[n][n], float D[n][n], float E[n][n], float F[n][n],
                    float G[n][n])
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        E[i][j] = 0;
        for (int k = 0; k < n; k++)
          E[i][j] += A[i][k] * B[k][j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        F[i][j] = 0;
        for (int k = 0; k < n; k++)
          F[i][j] += C[i][k] * D[k][j];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        G[i][j] = 0;
        for (int k = 0; k < n; k++)
          G[i][j] += E[i][k] * F[k][j];
      }
  }
}

void atax(int n, float A[n][n], float x[n], float y[n], float t[n])
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

void bicg(int n, float A[n][n], float p[n], float q[n], float r[n], float s[n])
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

void covariance(int n, float samples[n][n], float C[n][n], float mean[n])
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

void doitgen(int n, float A[n][n][n], float W[n][n], float sums[n][n][n])
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

void product(int n, float a, float b, float A[n][n], float B[n][n], float C[n][n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= b;
      for (int k = 0; k < n; k++)
        C[i][j] += a * A[i][k] * B[k][j];
    }
}

void gemver(int n, float a, float b, float A[n][n], float c[n], float d[n], float e[n], float f[n], float w[n],
            float x[n], float y[n], float z[n])
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

void gesummv(int n, float a, float b, float A[n][n], float B[n][n], float x[n], float y[n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    float s = 0, t = 0;
    for (int j = 0; j < n; j++) {
      s += A[i][j] * x[j];
      t += B[i][j] * x[j];
    }
    y[i] = a * s + b * t;
  }
}

void jacobi_2d(int n, int times, float A[n][n], float B[n][n])
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j];
  }
}

void jacobi_2d_alt(int n, int times, float A[n][n], float B[n][n])
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

void mvt(int n, float A[n][n], float x[n], float y[n], float u[n], float v[n])
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

void symm(int n, float a, float b, float A[n][n], float B[n][n], float C[n][n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += a * B[i][j] * A[i][k];
        sum += B[k][j] * A[i][k];
      }
      C[i][j] = b * C[i][j] + a * B[i][j] * A[i][i] + a * sum;
    }
}

void syr2k(int n, float a, float b, float A[n][n], float B[n][n], float C[n][n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= b;
      for (int k = 0; k < n; k++)
        C[i][j] += a * A[i][k] * B[j][k] + a * B[i][k] * A[j][k];
    }
}

/* each point of an image sums what all samples contribute */
void mri_q(int n, int samples, float kx[samples], float ky[samples], float kz[samples], float weight[samples], float x[n],
           float y[n], float z[n], float re[n], float im[n])
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    re[i] = im[i] = 0;
    for (int k = 0; k < samples; k++) {
      float phase = 6.2831853f * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i]);
      re[i] += weight[k] * cosf(phase);
      im[i] += weight[k] * sinf(phase);
    }
  }
}

/* the coefficients of a pentadiagonal system along x, for each y and z */
void penta_coefficients(int n, float us[n][n][n], float rho[n][n][n], float lhs[5][n][n][n])
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

/* its backward substitution */
void penta_substitution(int n, float lhs[5][n][n][n], float rhs[3][n][n][n])
{
#pragma acc kernels
  for (int m = 0; m < 3; m++)
    for (int k = 1; k < n - 1; k++)
      for (int j = 1; j < n - 1; j++)
        for (int i = n - 3; i >= 0; i--)
          rhs[m][k][j][i] -= lhs[3][k][j][i] * rhs[m][k][j][i + 1] + lhs[4][k][j][i] * rhs[m][k][j][i + 2];
}
