/* Diffusion in a box: seven points, the index by a macro as in many a solver. */
#include "everyday.h"

#define IDX(i, j, k) (((i) * ny + (j)) * nz + (k))

static void diffuse(int nx, int ny, int nz, const double *u, double *w, double c)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 1; i < nx - 1; i++)
    for (int j = 1; j < ny - 1; j++)
      for (int k = 1; k < nz - 1; k++)
        w[IDX(i, j, k)] = u[IDX(i, j, k)] + c * (u[IDX(i + 1, j, k)] + u[IDX(i - 1, j, k)] + u[IDX(i, j + 1, k)] +
                                                 u[IDX(i, j - 1, k)] + u[IDX(i, j, k + 1)] + u[IDX(i, j, k - 1)] -
                                                 6 * u[IDX(i, j, k)]);
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 128), repeats = argument(argc, argv, 2, 3), steps = 20;
  int nx = n, ny = n + 3, nz = n + 7;
  size_t size = (size_t)nx * ny * nz;
  double *u = allocate(size * sizeof *u), *w = allocate(size * sizeof *w);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    memset(u, 0, size * sizeof *u);
    u[IDX(nx / 2, ny / 2, nz / 2)] = 1;
    memset(w, 0, size * sizeof *w);
    start(&watch);
    for (int t = 0; t < steps; t += 2) {
      diffuse(nx, ny, nz, u, w, 0.1);
      diffuse(nx, ny, nz, w, u, 0.1);
    }
    stop(&watch);
  }
  double mass = 0, spread = 0;
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++)
      for (int k = 0; k < nz; k++) {
        mass += u[IDX(i, j, k)];
        spread += u[IDX(i, j, k)] * ((i - nx / 2) * (i - nx / 2) + (j - ny / 2) * (j - ny / 2));
      }
  require(n < 50 || fabs(mass - 1) < 1e-9, "what diffuses is not lost");
  result("spread", spread);
  print_time(&watch);
  return 0;
}
