/* Clusters after Lloyd: the nearest centre of every point, then the centres' means. */
#include "everyday.h"

#define K 16
#define D 4

static void assign(int n, float (*point)[D], float (*centre)[D], int *nearest)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float best = 1e30f;
    int which = 0;
    for (int k = 0; k < K; k++) {
      float distance = 0;
      for (int d = 0; d < D; d++)
        distance += (point[i][d] - centre[k][d]) * (point[i][d] - centre[k][d]);
      if (distance < best) {
        best = distance;
        which = k;
      }
    }
    nearest[i] = which;
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 500000), repeats = argument(argc, argv, 2, 3), steps = 4;
  float(*point)[D] = allocate(n * sizeof *point), centre[K][D];
  int *nearest = allocate(n * sizeof *nearest);
  unsigned state = SEED;
  for (int i = 0; i < n; i++)
    for (int d = 0; d < D; d++)
      point[i][d] = uniform(&state) + (float)((i >> d) & 1) * 3;
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < K; k++)
      for (int d = 0; d < D; d++)
        centre[k][d] = point[k % n][d];
    start(&watch);
    for (int t = 0; t < steps; t++) {
      assign(n, point, centre, nearest);
      double sum[K][D] = {{0}};
      int members[K] = {0};
      for (int i = 0; i < n; i++) {
        members[nearest[i]]++;
        for (int d = 0; d < D; d++)
          sum[nearest[i]][d] += point[i][d];
      }
      for (int k = 0; k < K; k++)
        for (int d = 0; d < D; d++)
          if (members[k])
            centre[k][d] = (float)(sum[k][d] / members[k]);
    }
    stop(&watch);
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    require(n < K || nearest[i] == (i & (K - 1)), "points are with their own");
  for (int k = 0; k < K; k++)
    sum += centre[k][0] * (k + 1);
  result("centres", sum);
  print_time(&watch);
  return 0;
}
