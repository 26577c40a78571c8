// prints: 3379 512 4
// launches: 2
//
// A loop that runs once has only one value for its iterator: the element that each iteration of the loop around it
// reads and writes is its own, though it is written with an iterator from inside. Where work-groups stage the points
// in local memory, it stays in a register, and the iterator is unknown where that is loaded and stored.
#include <stdio.h>

enum { N = 600, CLUSTERS = 5, FEATURES = 34 };

static float feature[N][FEATURES], clusters[CLUSTERS][FEATURES];
static int membership[N];

int main(void)
{
  int i, j, k, once, features = FEATURES, nearest;
  float least, changed = 0;
  for (i = 0; i < N; i++) {
    membership[i] = i % 7 - 1;
    for (j = 0; j < FEATURES; j++) feature[i][j] = (float)(i * (j + 1) % 11);
  }
  for (k = 0; k < CLUSTERS; k++)
    for (j = 0; j < FEATURES; j++) clusters[k][j] = feature[k][j];
#pragma acc kernels loop independent private(i, nearest, least) copyin(feature, clusters) copy(membership)
  for (int point = 0; point < N; point++) {
#pragma acc loop seq
    for (once = 0; once < 1; once++) {
      i = point + once * N;
      least = 3e38f;
      nearest = 0;
      for (k = 0; k < CLUSTERS; k++) {
        float distance = 0;
        for (j = 0; j < features; j++)
          distance += (feature[i][j] - clusters[k][j]) * (feature[i][j] - clusters[k][j]);
        if (distance < least) {
          least = distance;
          nearest = k;
        }
      }
      if (membership[i] != nearest) changed += 1;
      membership[i] = nearest;
    }
  }
  long sum = 0;
  for (i = 0; i < N; i++) sum += membership[i] * (i % 3 + 1);
  printf("%ld %g %d\n", sum, changed, membership[N - 2]);
  return 0;
}
