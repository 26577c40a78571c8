// Points of five, seven and eight numbers: short loops over these run as part of those around them.
// prints: 5 13826.750 -5172.000 -250.000
// prints: 7 9231.000 -15.000
// prints: 8 -71632 158
// launches: 8
#include <stdio.h>

enum { N = 9, M = 11 };
static double u[N][M][5], v[N][M][5], flux[N][M][5];
static float w[N * M * 7], x[N * M * 7];
static int bits[N][M][8];

static double sum5(double a[N][M][5])
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int m = 0; m < 5; m++)
        sum += a[i][j][m] * (1 + (i * 5 + j * 3 + m) % 7);
  return sum;
}

static void five(int n, int last)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++)
      for (int m = 0; m < 5; m++) {
        u[i][j][m] = (i * 3 + j * 2 + m) % 8 * 0.5;
        v[i][j][m] = -(i + j * m) % 5;
      }
#pragma acc kernels
  for (int i = 1; i < n - 1; i++)
    for (int j = 0; j < M; j++)
      for (int m = 0; m < 5; m++)
        flux[i][j][m] = v[i + 1][j][m] - v[i - 1][j][m];
  // neighbours are five numbers apart
#pragma acc kernels
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < last; j++)
      for (int m = 0; m < 5; m++)
        u[i][j][m] = u[i][j][m] - 0.25 * (flux[i][j + 1][m] - 2.0 * flux[i][j][m] + flux[i][j - 1][m]);
  // one of the numbers is told apart
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++) {
      double pressure = u[i][j][4] - 0.5 * u[i][j][1];
      for (int m = 0; m < 5; m++)
        v[i][j][m] = m == 2 ? pressure : -u[i][j][m] * 2;
    }
  printf("5 %.3f %.3f %.3f\n", sum5(u) - sum5(v) * 2, sum5(v), sum5(flux));
}

static void seven(int n)
{
#pragma acc kernels
  for (int p = 0; p < n; p++)
    for (int m = 0; m < 7; m++)
      w[p * 7 + m] = (p * 7 + m) % 13 - m * 0.5f;
#pragma acc kernels
  for (int p = 1; p < n; p++)
    for (int m = 0; m < 7; m++)
      x[7 * p + m] = w[7 * p + m] + w[7 * (p - 1) + m] * 2;
  float a = 0, b = 0;
  for (int p = 0; p < n * 7; p++) {
    a += x[p] * (p % 3);
    b += x[p] * (p % 2 ? 1 : -1);
  }
  printf("7 %.3f %.3f\n", a, b);
}

static void eight(void)
{
#pragma acc kernels
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int m = 0; m <= 7; m++)
        bits[i][j][m] = (i * 88 + j * 8 + m) >> m & 1;
#pragma acc kernels
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int m = 0; m <= 7; m++)
        bits[i][j][m] = bits[i][j][m] * (m + 1) - i;
  int sum = 0, most = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      for (int m = 0; m < 8; m++) {
        sum += bits[i][j][m] * (j * 8 + m);
        most += bits[i][j][m] > 0 ? 1 : 0;
      }
  printf("8 %d %d\n", sum, most);
}

int main(void)
{
  five(N, M - 1);
  seven(N * M);
  eight();
  return 0;
}
