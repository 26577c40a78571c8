/* Gravity between all pairs of bodies, each a struct, as a textbook has it. */
#include "everyday.h"

struct body {
  double x, y, z, vx, vy, vz, mass;
};

static void push(int n, struct body *b, double dt)
{
#pragma acc kernels
  {
#pragma acc loop independent
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double ax = 0, ay = 0, az = 0;
      for (int j = 0; j < n; j++) {
        double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
        double r = 1 / sqrt(dx * dx + dy * dy + dz * dz + 1e-6);
        double f = b[j].mass * r * r * r;
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
      }
      b[i].vx += dt * ax;
      b[i].vy += dt * ay;
      b[i].vz += dt * az;
    }
  }
}

static void move(int n, struct body *b, double dt)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    b[i].x += dt * b[i].vx;
    b[i].y += dt * b[i].vy;
    b[i].z += dt * b[i].vz;
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 2500), repeats = argument(argc, argv, 2, 3);
  struct body *b = allocate(n * sizeof *b);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    unsigned state = SEED;
    for (int i = 0; i < n; i++)
      b[i] = (struct body){uniform(&state), uniform(&state), uniform(&state), 0, 0, 0, 1.0 / n};
    start(&watch);
    for (int t = 0; t < 2; t++) {
      push(n, b, 1e-3);
      move(n, b, 1e-3);
    }
    stop(&watch);
  }
  double momentum = 0, speed = 0;
  for (int i = 0; i < n; i++) {
    momentum += b[i].vz;
    speed += fabs(b[i].vz);
  }
  require(n == 1 || fabs(momentum) < 1e-9 * speed, "forces between bodies cancel out");
  result("speed", speed);
  print_time(&watch);
  return 0;
}
