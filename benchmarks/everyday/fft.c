/* A fast Fourier transform after Stockham, radix two, and back. */
#include "everyday.h"

static void stages(int n, int sign, double *re, double *im, double *tr, double *ti)
{
  double *xr = re, *xi = im, *yr = tr, *yi = ti;
  int swaps = 0;
  for (int half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
    double angle = sign * 3.14159265358979323846 / half;
#pragma acc parallel loop collapse(2)
#pragma omp parallel for collapse(2)
    for (int p = 0; p < half; p++)
      for (int q = 0; q < stride; q++) {
        double wr = cos(p * angle), wi = sin(p * angle);
        double ar = xr[q + stride * p], ai = xi[q + stride * p];
        double br = xr[q + stride * (p + half)], bi = xi[q + stride * (p + half)];
        double dr = ar - br, di = ai - bi;
        yr[q + stride * 2 * p] = ar + br;
        yi[q + stride * 2 * p] = ai + bi;
        yr[q + stride * (2 * p + 1)] = dr * wr - di * wi;
        yi[q + stride * (2 * p + 1)] = dr * wi + di * wr;
      }
    double *r = xr, *i = xi;
    xr = yr, xi = yi, yr = r, yi = i;
    swaps++;
  }
  if (swaps % 2 == 1)
    for (int k = 0; k < n; k++) {
      re[k] = tr[k];
      im[k] = ti[k];
    }
}

int main(int argc, char **argv)
{
  int bits = argument(argc, argv, 1, 18), repeats = argument(argc, argv, 2, 3), n = 1 << bits;
  double *a[5];
  for (int k = 0; k < 5; k++)
    a[k] = allocate(n * sizeof *a[k]);
  struct stopwatch watch = {0};
  double power = 0;
  for (int r = 0; r < repeats; r++) {
    unsigned state = SEED;
    for (int i = 0; i < n; i++) {
      a[0][i] = a[4][i] = uniform(&state) - 0.5;
      a[1][i] = 0;
    }
    start(&watch);
    stages(n, -1, a[0], a[1], a[2], a[3]);
    power = a[0][n / 3] * a[0][n / 3] + a[1][n / 3] * a[1][n / 3];
    stages(n, 1, a[0], a[1], a[2], a[3]);
    stop(&watch);
  }
  for (int i = 0; i < n; i++)
    require(fabs(a[0][i] / n - a[4][i]) < 1e-12, "the inverse gives the signal back");
  result("power", power);
  print_time(&watch);
  return 0;
}
