// Steps of two inside of steps of two up to the lesser of two ends: the last value was not found, and the loops stayed here.
// prints: 4465 0
// launches: 1
#include <stdio.h>

static float b[118], c[118][118];

static void sums(int m)
{
#pragma acc kernels copyin(b) copy(c)
  for (int i = 1; i < m; i += 2)
    for (int j = 0; j < m; j++) {
      float s = 2;
      for (int k = 0; k < (i < m ? i : m); k += 2)
        s += b[k];
      c[i][j] += s;
    }
}

int main(void)
{
  for (int k = 0; k < 118; k++)
    b[k] = (float)(k % 3);
  sums(95);
  double sum = 0;
  int wrong = 0;
  for (int i = 0; i < 118; i++)
    for (int j = 0; j < 118; j++) {
      float s = i % 2 && i < 95 && j < 95 ? 2 : 0;
      for (int k = 0; s > 0 && k < i; k += 2)
        s += b[k];
      wrong += c[i][j] != s;
      sum += c[i][j] > 0;
    }
  printf("%.0f %d\n", sum, wrong);
  return 0;
}
