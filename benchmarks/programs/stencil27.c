/* Smoothing in three dimensions with all 27 neighbours, weighted by how far away they are, between two grids.
 *
 *   stencil27 [depth [height [width [steps [repeats]]]]]      (steps are rounded up to an even number)
 */
#include "program.h"

/* Of the point, those beside its faces, its edges, its corners; powers of two that add up to 1. */
#define POINT (real)0.125
#define FACE (real)0.0625
#define EDGE (real)0.03125
#define CORNER (real)0.015625

static void step(int nz, int ny, int nx, real a[nz][ny][nx], real b[nz][ny][nx])
{
#pragma acc kernels loop present(a[0:nz][0:ny][0:nx], b[0:nz][0:ny][0:nx])
  for (int z = 1; z < nz - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        real face = a[z - 1][y][x] + a[z + 1][y][x] + a[z][y - 1][x] + a[z][y + 1][x] + a[z][y][x - 1] + a[z][y][x + 1];
        real edge = a[z - 1][y - 1][x] + a[z - 1][y + 1][x] + a[z - 1][y][x - 1] + a[z - 1][y][x + 1] +
                    a[z][y - 1][x - 1] + a[z][y - 1][x + 1] + a[z][y + 1][x - 1] + a[z][y + 1][x + 1] +
                    a[z + 1][y - 1][x] + a[z + 1][y + 1][x] + a[z + 1][y][x - 1] + a[z + 1][y][x + 1];
        real corner = a[z - 1][y - 1][x - 1] + a[z - 1][y - 1][x + 1] + a[z - 1][y + 1][x - 1] +
                      a[z - 1][y + 1][x + 1] + a[z + 1][y - 1][x - 1] + a[z + 1][y - 1][x + 1] +
                      a[z + 1][y + 1][x - 1] + a[z + 1][y + 1][x + 1];
        b[z][y][x] = POINT * a[z][y][x] + FACE * face + EDGE * edge + CORNER * corner;
      }
}

static void smooth(int nz, int ny, int nx, int steps, real a[nz][ny][nx], real b[nz][ny][nx])
{
#pragma acc data copy(a[0:nz][0:ny][0:nx], b[0:nz][0:ny][0:nx])
  for (int t = 0; t < steps; t += 2) {
    step(nz, ny, nx, a, b);
    step(nz, ny, nx, b, a);
  }
}

int main(int argc, char **argv)
{
  int nz = argument(argc, argv, 1, 128), ny = argument(argc, argv, 2, nz), nx = argument(argc, argv, 3, nz);
  int steps = argument(argc, argv, 4, 10), repeats = argument(argc, argv, 5, 1);
  size_t size = (size_t)nz * ny * nx;
  real *a = vector(size), *b = vector(size);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, a, 0, 255, 1);
    fill(size, b, 0, 255, 1);
    start(&watch);
    smooth(nz, ny, nx, steps, (real(*)[ny][nx])a, (real(*)[ny][nx])b);
    stop(&watch);
  }

  print_checksum(a, size * sizeof(real));
  print_time(&watch);
  return 0;
}
