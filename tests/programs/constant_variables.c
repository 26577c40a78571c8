// Constants that a function declares as such: a step and the length of an array, but not what they are computed from.
// prints: 1021000 0
// launches: 2
#include <stdio.h>

enum { N = 1000 };
static float a[N], b[N];
static int offset = 5;

static void unrolled(int factor)
{
  const int unroll = 8, given = factor;
  int changed = 3;
  changed += factor;
  const int copied = changed + offset;
  const long twice = 2 * 3 - 4;
#pragma acc kernels
  for (int i = 0; i < N; i += unroll) {
    float part[unroll];
    for (int j = 0; j < unroll; j++)
      part[j] = a[i + j] * given + copied;
    for (int j = 0; j < unroll; j++)
      b[i + j] = part[j] * twice;
  }
}

static void as_it_changes(void)
{
  for (int k = 0; k < 2; k++) {
    const int from = k * 500, width = 500;
#pragma acc kernels if (k == 1)
    for (int i = 0; i < width; i++)
      b[from + i] -= from;
  }
}

int main(void)
{
  double sum = 0;
  int wrong = 0;
  for (int i = 0; i < N; i++)
    a[i] = (float)i;
  offset = 7;
  unrolled(1);
  for (int i = 0; i < N; i++)
    sum += b[i];
  as_it_changes();
  for (int i = 0; i < N; i++)
    wrong += b[i] != 2 * (i + 11) - (i < 500 ? 0 : 500);
  printf("%.0f %d\n", sum, wrong);
  return 0;
}
