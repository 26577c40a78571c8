// Sizes that were read from text, so that their addresses are taken: they are fixed while loops run that store elsewhere.
// prints: 6 11044 44 2
// launches: 2
#include <stdio.h>

static int count, total[8];

static void fill(int *to)
{
#pragma acc parallel loop
  for (int i = 0; i < count; i++)
    to[i] += i + 1;
}

static void mark(const float *given)
{
#pragma acc parallel loop
  for (int i = 0; i < 8; i++) /* kernels don't get a pointer that is only compared */
    total[i] += given && i > 4;
}

int main(void)
{
  int n, a[300] = {0};
  float by;
  sscanf("95 2.5", "%d %f", &n, &by);
#pragma acc kernels
  for (int i = 0; i < n; i++)
    a[i] = (int)(i * by) - n + 2 * i;
  sscanf("3", "%d", &count);
  fill(total);
  count = 1;
  fill(&count); /* stores into count: not on a device */
  mark(&by);
  mark(0);
  int sum = total[5] + total[6] + total[7] - 3;
  for (int i = 0; i < 300; i++)
    sum += a[i];
  printf("%d %d %d %d\n", total[0] + total[1] + total[2], sum, a[31], count);
  return 0;
}
