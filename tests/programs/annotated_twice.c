// Functions with regions of their own run as part of the iterations that call them, and tables that nobody changes are
// constants also where `const` was forgotten.
// prints: curves 13.50 22.88
// prints: tables 154 9
// prints: counted 20 1 20
// launches: 6
#include <stdio.h>

enum { N = 20, M = 4 };
static double coefficients[M][3] = { { 1, 2, 3 }, { 0.5, 0, 1 }, { 2, 0.25, 0 }, { 0, 1, -1 } };
static double curves[N][M];

static void curve(double x, double *y)
{
#pragma acc kernels loop
  for (int m = 0; m < M; m++)
    y[m] = coefficients[m][0] + x * (coefficients[m][1] + x * coefficients[m][2]);
}

static double along(const double *y, int n)
{
  double sum = 0;
#pragma acc kernels loop copyin(y[0 : n]) reduction(+ : sum)
  for (int m = 0; m < n; m++)
    sum += y[m] * (m + 1);
  return sum;
}

static int weight(int k)
{
  static int weights[] = { 1, 0, 4, -2, 8 };
  static short steps[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  short *step = steps[k & 1];
  return weights[k % 5] + step[k % 3];
}

static int number(int k)
{
  static int count[2] = { 0, 0 };
  count[k & 1]++;
  return k > 0 ? count[k & 1] : 1;
}

int main(void)
{
  double sums[N];
#pragma acc kernels
  for (int i = 0; i < N; i++) {
    double y[M];
    curve(i * 0.25, y);
    for (int m = 0; m < M; m++)
      curves[i][m] = y[m];
  }
#pragma acc kernels
  for (int i = 0; i < N; i++)
    sums[i] = along(curves[i], M);
  curve(1.5, sums);
  printf("curves %.2f %.2f\n", sums[0] + sums[1], along(curves[7], M));

  int weights[N], few[N];
#pragma acc kernels
  for (int i = 0; i < N; i++) {
    static int own[4] = { 3, 1, 4, 1 };
    weights[i] = weight(i) * own[i & 3];
  }
  int all = 0;
  for (int i = 0; i < N; i++)
    all += weights[i] * (i + 1) % 17;
  printf("tables %d %d\n", all, weights[7]);

  // what is changed between calls is no constant
#pragma acc kernels
  for (int i = 0; i < N; i++)
    few[i] = number(i);
  int counts = 0;
  for (int i = 0; i < N; i++)
    counts += i % 2 ? few[i] == i / 2 + 1 : i == 0 || few[i] == i / 2 + 1;
  printf("counted %d %d %d\n", counts, few[0], number(2) + 9);
  return 0;
}
