/* Particles in a box: gravity pulls, air drags, walls reflect.
 *
 *   accshare-cc -O2 struct.c -o struct && ./struct [particles [steps [repeats]]]
 *
 * An array of structs, and a struct of settings whose fields the loop reads.
 */
#include "sample.h"

struct particle {
  float x, y, z;
  float vx, vy, vz;
};

struct world {
  float side;    /* of the box */
  float gravity; /* downwards */
  float drag;    /* part of the speed lost in a step */
  float dt;      /* length of a step */
};

static void advance(int n, struct particle p[n], const struct world *world, int steps)
{
#pragma acc data copy(p[0:n])
  for (int t = 0; t < steps; t++) {
#pragma acc parallel loop present(p[0:n])
    for (int i = 0; i < n; i++) {
      p[i].vx -= world->drag * p[i].vx;
      p[i].vy -= world->drag * p[i].vy;
      p[i].vz -= world->drag * p[i].vz + world->gravity * world->dt;
      p[i].x += world->dt * p[i].vx;
      p[i].y += world->dt * p[i].vy;
      p[i].z += world->dt * p[i].vz;
      if (p[i].x < 0.0f || p[i].x > world->side)
        p[i].vx = -p[i].vx;
      if (p[i].y < 0.0f || p[i].y > world->side)
        p[i].vy = -p[i].vy;
      if (p[i].z < 0.0f)
        p[i].vz = -p[i].vz;
    }
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1 << 16);
  int steps = argument(argc, argv, 2, 20);
  int repeats = argument(argc, argv, 3, 1);
  struct particle *p = allocate(sizeof(struct particle[n]));
  /* Powers of two: fused and separate multiply-add round alike. */
  struct world world = {.side = 64.0f, .gravity = 8.0f, .drag = 0.0078125f, .dt = 0.015625f};

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    for (int i = 0; i < n; i++)
      p[i] = (struct particle){(float)(i % 64),        (float)(i / 64 % 64),      (float)(i % 17),
                               (float)(i % 5 - 2) * 4, (float)(i % 7 - 3) * 0.5f, (float)(i % 3)};
    start(&watch);
    advance(n, p, &world, steps);
    stop(&watch);
  }

  print_checksum(p, sizeof(struct particle[n]));
  print_time(&watch);
  free(p);
  return 0;
}
