/* Two matrices times a vector, added up. */
void gesummv(int n, float a, float b, float A[restrict n][n], float B[restrict n][n], float x[restrict n],
             float y[restrict n])
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
