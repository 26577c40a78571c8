// Regions that stay on the host for something in them, with loops inside that run in kernels: a while loop, a call that
// prints, pointers of structs in an array, ways out of a loop's body, a reduction clause around loops.
// prints: sweeps 12 95.3
// prints: told 0
// prints: told 1
// prints: told 2 8.1250
// prints: blocks 5471
// prints: ways out 2 131
// prints: the last one
// prints: combined 12799
// launches: 72
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40 };
static double A[N][N], B[N][N];

static int sweeps(int n, double eps)
{
  int count = 0;
#pragma acc kernels
  {
    double change = 1;
    while (change > eps) {
      change = 0;
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
          B[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j]) * 0.25;
          change = fmax(change, fabs(B[i][j] - A[i][j]));
        }
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          A[i][j] = B[i][j];
      count++;
    }
  }
  return count;
}

static void told(int n)
{
#pragma acc kernels
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        B[i][j] = B[i][j] * 0.5 + t + A[i][j];
    printf("told %d%s", t, t < 2 ? "\n" : " ");
  }
}

typedef struct {
  int size, pitch;
  double **fields;
} block;
typedef struct {
  int count;
  block *blocks;
} level;

static void smoothed(const level *l, int from, int to)
{
#pragma acc parallel loop
  for (int b = 0; b < l->count; b++) {
    const int size = l->blocks[b].size, pitch = l->blocks[b].pitch, plane = pitch * pitch;
    const double *x = l->blocks[b].fields[from];
    double *y = l->blocks[b].fields[to];
    for (int k = 1; k <= size; k++)
      for (int j = 1; j <= size; j++)
        for (int i = 1; i <= size; i++) {
          int at = i + j * pitch + k * plane;
          y[at] = 2 * x[at] + x[at - 1] + x[at + 1] + x[at - pitch] + x[at + pitch] + x[at - plane] + x[at + plane];
        }
  }
}

static int ways_out(int n, int m)
{
  int last = 0;
#pragma acc kernels
  for (int t = 0; t < n; t++) {
    if (t == 1)
      continue;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        B[i][j] += t;
    last = t;
    if (B[3][3] > 130)
      break;
  }
  return last;
}

static double combined(int n)
{
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
  for (int t = 0; t < n; t++) {
    if (t == 7)
      puts("the last one");
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        sum += (i + j + t) % 3;
  }
  return sum;
}

int main(void)
{
  for (int i = 0; i < N; i++)
    A[0][i] = B[0][i] = 1;
  int count = sweeps(N, 0.02);
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += A[i][j];
  printf("sweeps %d %.1f\n", count, sum);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = i % 4, B[i][j] = j % 5;
  told(N);
  printf("%.4f\n", B[3][3]);
  level l = {3, malloc(3 * sizeof(block))};
  sum = 0;
  for (int b = 0; b < 3; b++) {
    const int size = 5 + b, pitch = size + 2;
    l.blocks[b] = (block){size, pitch, malloc(2 * sizeof(double *))};
    for (int f = 0; f < 2; f++) {
      l.blocks[b].fields[f] = calloc(pitch * pitch * pitch, sizeof(double));
      for (int at = 0; at < pitch * pitch * pitch; at++)
        l.blocks[b].fields[f][at] = f ? 0 : at % 3;
    }
  }
  smoothed(&l, 0, 1);
  for (int b = 0; b < 3; b++)
    for (int at = 0; at < l.blocks[b].pitch * l.blocks[b].pitch * l.blocks[b].pitch; at++)
      sum += l.blocks[b].fields[1][at];
  printf("blocks %g\n", sum);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      B[i][j] = 129;
  count = ways_out(5, N);
  printf("ways out %d %g\n", count, B[3][3]);
  sum = combined(8);
  printf("combined %g\n", sum);
}
