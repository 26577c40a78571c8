/* Each point of an image sums what all samples contribute. */
void mri_q(int n, int samples, float kx[restrict samples], float ky[restrict samples], float kz[restrict samples],
           float weight[restrict samples], float x[restrict n], float y[restrict n], float z[restrict n],
           float re[restrict n], float im[restrict n])
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
