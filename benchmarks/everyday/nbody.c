/* Gravity between all pairs of bodies, coordinates in arrays of their own: leapfrog steps. */
#include "everyday.h"

static void accelerate(int n, const float *x, const float *y, const float *z, const float *m, float *ax, float *ay, float *az)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sx = 0, sy = 0, sz = 0;
    for (int j = 0; j < n; j++) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      float d2 = dx * dx + dy * dy + dz * dz + 1e-3f;
      float s = m[j] / (d2 * sqrtf(d2));
      sx += s * dx;
      sy += s * dy;
      sz += s * dz;
    }
    ax[i] = sx;
    ay[i] = sy;
    az[i] = sz;
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 4000), repeats = argument(argc, argv, 2, 3);
  float *q[3], *v[3], *a[3], *m = allocate(n * sizeof *m);
  for (int d = 0; d < 3; d++) {
    q[d] = allocate(n * sizeof *q[d]);
    v[d] = allocate(n * sizeof *v[d]);
    a[d] = allocate(n * sizeof *a[d]);
  }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    unsigned state = SEED;
    for (int i = 0; i < n; i++) {
      for (int d = 0; d < 3; d++) {
        q[d][i] = uniform(&state);
        v[d][i] = 0;
      }
      m[i] = (1 + uniform(&state)) / n;
    }
    start(&watch);
    for (int t = 0; t < 2; t++) {
      accelerate(n, q[0], q[1], q[2], m, a[0], a[1], a[2]);
      for (int d = 0; d < 3; d++)
        for (int i = 0; i < n; i++) {
          v[d][i] += 1e-3f * a[d][i];
          q[d][i] += 1e-3f * v[d][i];
        }
    }
    stop(&watch);
  }
  double momentum = 0, speed = 0;
  for (int i = 0; i < n; i++) {
    momentum += (double)m[i] * v[0][i];
    speed += fabs(m[i] * v[0][i]);
  }
  require(n == 1 || fabs(momentum) < 1e-4 * speed, "forces between bodies cancel out");
  result("speed", speed);
  print_time(&watch);
  return 0;
}
