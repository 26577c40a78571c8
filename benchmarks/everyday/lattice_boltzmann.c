/* Flow by the lattice Boltzmann method: nine directions, pulled and relaxed, in a periodic box. */
#include "everyday.h"

#define Q 9

static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float weight[Q] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

static void step(int n, const float *restrict f, float *restrict g)
{
#pragma acc parallel loop collapse(2)
#pragma omp parallel for
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      float in[Q], rho = 0, ux = 0, uy = 0;
      for (int q = 0; q < Q; q++) {
        int sx = x - cx[q], sy = y - cy[q];
        sx = sx < 0 ? n - 1 : sx == n ? 0 : sx;
        sy = sy < 0 ? n - 1 : sy == n ? 0 : sy;
        in[q] = f[(q * n + sy) * n + sx];
        rho += in[q];
        ux += cx[q] * in[q];
        uy += cy[q] * in[q];
      }
      ux /= rho;
      uy /= rho;
      for (int q = 0; q < Q; q++) {
        float cu = 3 * (cx[q] * ux + cy[q] * uy);
        float balanced = weight[q] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
        g[(q * n + y) * n + x] = in[q] + 1.2f * (balanced - in[q]);
      }
    }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 400), repeats = argument(argc, argv, 2, 3), steps = 20;
  size_t size = (size_t)Q * n * n;
  float *f = allocate(size * sizeof *f), *g = allocate(size * sizeof *g);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    for (int q = 0; q < Q; q++)
      for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
          f[(q * n + y) * n + x] = weight[q] * (1 + 0.3f * cx[q] * sinf(6.2831853f * y / n));
    start(&watch);
    for (int t = 0; t < steps; t += 2) {
      step(n, f, g);
      step(n, g, f);
    }
    stop(&watch);
  }
  double mass = 0, flow = 0;
  for (int q = 0; q < Q; q++)
    for (int i = 0; i < n * n; i++) {
      mass += f[q * n * n + i];
      flow += fabs((double)cx[q] * f[q * n * n + i]);
    }
  require(fabs(mass - (double)n * n) < 1e-3 * n * n, "mass is conserved");
  result("flow", flow);
  print_time(&watch);
  return 0;
}
