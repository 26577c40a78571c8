// Work-groups that stage arrays, with conditions around their barriers and behind them.
#include <stdio.h>

enum { N = 37, M = 75 };

static int a[M][M], b[M][M], c[M][M];

/* one strip at most, and only some work-groups have it */
static void ends(int n, int m)
{
#pragma acc kernels loop
  for (int i = 1; i < n; i++) {
    int sum = 0;
    for (int k = i; k < 5; k++)
      sum += a[i][i] + b[i][k];
    c[i][m] += sum;
  }
}

/* groups above the diagonal have no strips */
static void triangle(int n, int m)
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      int sum = i;
      for (int k = 0; k < m; k++)
        sum += a[i][k] * b[j][k];
      c[i][j] += sum;
      for (int k = 0; k < m; k++)
        c[i][j] += a[i][k] - b[j][k];
    }
}

/* a loop that the last work-items have no part in, behind one over strips */
static void behind(int n, int m)
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++) {
    int last = 0, sum = 0;
    for (int j = 0; j < m; j++) {
      last = a[i][j];
      sum += sum / 2 + last;
    }
    for (int j = 0; j < m; j++)
      sum += a[i][(j * 7 + i) % m] / (j + 1);
    c[i][1] = sum % 1000 + last;
  }
}

/* conditions that come again behind the strips */
static void again(int n, int m)
{
#pragma acc kernels loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int sum = c[i][j];
      for (int k = 0; k < m; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum + i;
    }
}

static unsigned long done(void)
{
  unsigned long sum = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) {
      sum = sum * 31 + (unsigned)c[i][j];
      c[i][j] = i - j;
    }
  return sum;
}

int main(void)
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) {
      a[i][j] = (i * 75 + j) * 7919 % 101 - 50;
      b[i][j] = (i * 75 + j) * 7907 % 103 - 50;
    }
  done();
  ends(N, 5);
  printf("ends %lx\n", done());
  ends(3, 0);
  printf("ends %lx\n", done());
  triangle(M, N);
  printf("triangle %lx\n", done());
  behind(30, M);
  printf("behind %lx\n", done());
  again(N, N);
  printf("again %lx\n", done());
  return 0;
}
