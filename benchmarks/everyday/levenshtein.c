/* Edit distances between pairs of words, a table of its own for each pair. */
#include "everyday.h"

#define L 24

static void distances(int pairs, const char (*a)[L], const char (*b)[L], int *distance)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int p = 0; p < pairs; p++) {
    int row[L + 1];
    for (int j = 0; j <= L; j++)
      row[j] = j;
    for (int i = 1; i <= L; i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= L; j++) {
        int change = diagonal + (a[p][i - 1] != b[p][j - 1]);
        diagonal = row[j];
        int gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
        row[j] = change < gap ? change : gap;
      }
    }
    distance[p] = row[L];
  }
}

int main(int argc, char **argv)
{
  int pairs = argument(argc, argv, 1, 100000), repeats = argument(argc, argv, 2, 3);
  char(*a)[L] = allocate(pairs * sizeof *a), (*b)[L] = allocate(pairs * sizeof *b);
  int *distance = allocate(pairs * sizeof *distance);
  unsigned state = SEED;
  for (int p = 0; p < pairs; p++)
    for (int i = 0; i < L; i++) {
      a[p][i] = (char)('a' + next_random(&state) % 4);
      b[p][i] = p % 3 == 0 ? a[p][i] : (char)('a' + next_random(&state) % 4);
      if (p % 3 == 0 && i == 7)
        b[p][i] = '?';
    }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    distances(pairs, (const char(*)[L])a, (const char(*)[L])b, distance);
    stop(&watch);
  }
  double sum = 0;
  for (int p = 0; p < pairs; p++) {
    require(p % 3 != 0 || distance[p] == 1, "one letter makes a difference of one");
    sum += distance[p];
  }
  result("sum", sum);
  print_time(&watch);
  return 0;
}
