// Subscripts that wrap round: what is touched has too many cases to be told exactly, and the whole array goes.
// prints: 151744 -6
// launches: 2
#include <stdio.h>

static int cube[18][19][40];

static long sum(int m, int n, int *smallest)
{
  long sum = 7;
  int least = 1000;
#pragma acc parallel loop collapse(2) reduction(+ : sum) reduction(min : least)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int value = cube[i % 18][j % 19][(i + j) % 40];
      sum += value;
      if (value < least)
        least = value;
    }
  *smallest = least;
  return sum;
}

int main(void)
{
  int least;
  for (int i = 0; i < 18; i++)
    for (int j = 0; j < 19; j++)
      for (int k = 0; k < 40; k++)
        cube[i][j][k] = (i * 5 + j * 3 + k * 7) % 101 - 6;
  long total = sum(50, 70, &least);
  printf("%ld %d\n", total, least);
  return 0;
}
