// A scalar that every second iteration of a triangle writes, and one in a loop that counts down: each keeps its own.
// prints: 6 sizes as on the host
// launches: 18
#include <stdio.h>
#include <string.h>

enum { N = 64 };
static double A[N][N], B[N][N];
static int C[N][N], D[N][N], E[N][N], F[N][N];
static short x[N][N];

static void every_second(int n, int m, double D[restrict N][N], const double *restrict x)
{
#pragma acc kernels
  {
    for (int i = 0; i < N; i++)
      D[i][0] = x[i] + 1;
    for (int i = m - 1; i >= 0; i--) {
      double s = 0;
      for (int j = 1; j < n; j++)
        if ((i + j) % 2)
          for (int l = j; l < m; l++)
            s = x[j] - l;
      D[i][i] = s;
    }
  }
}

static void downwards(int n, int C[restrict N][N], int D[restrict N][N], short x[restrict N][N])
{
#pragma acc kernels
  for (int i = 8; i >= 1; i--)
    for (int j = n; j-- > 1;) {
      int s = 0;
      for (int k = 0; k < n; k++)
        C[i][j] = C[i][j] * 3 + s - x[j][2];
      D[i][i] = s;
    }
}

static void on_host(int n, int m, const double *y)
{
  for (int i = 0; i < N; i++)
    B[i][0] = y[i] + 1;
  for (int i = m - 1; i >= 0; i--) {
    double s = 0;
    for (int j = 1; j < n; j++)
      if ((i + j) % 2)
        for (int l = j; l < m; l++)
          s = y[j] - l;
    B[i][i] = s;
  }
  for (int i = 8; i >= 1; i--)
    for (int j = n; j-- > 1;) {
      int s = 0;
      for (int k = 0; k < n; k++)
        E[i][j] = E[i][j] * 3 + s - x[j][2];
      F[i][i] = s;
    }
}

int main(void)
{
  static const int sizes[][2] = {{0, 1}, {1, 5}, {5, 1}, {9, 17}, {17, 17}, {16, 63}};
  int right = 0;
  double y[N];
  for (int i = 0; i < N; i++)
    y[i] = i * 0.25, x[i][2] = i % 3;
  for (int k = 0; k < 6; k++) {
    int n = sizes[k][0], m = sizes[k][1];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = B[i][j] = 0, C[i][j] = E[i][j] = j % 2, D[i][j] = F[i][j] = 1;
    every_second(n, m, A, y);
    downwards(n, C, D, x);
    on_host(n, m, y);
    right += !memcmp(A, B, sizeof A) && !memcmp(C, E, sizeof C) && !memcmp(D, F, sizeof D);
  }
  printf("%d sizes as on the host\n", right);
  return 0;
}
