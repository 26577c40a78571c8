// Nests of more parallel loops than a launch has dimensions: all of them are the grid, the outer ones numbered together.
// prints: 113296.5
// prints: 113296.5
// prints: 5308880
// prints: 265869
// prints: 300000 1005000 44365
// prints: 5804 4590
// launches: 11
#include <stdio.h>

enum { A = 3, B = 4, C = 5, D = 37, E = 6 };
static float small[A][B][C][D], sums[A][B][C][D];
static double deep[2][A][B][C][E], wedge[E][E][E][D];
static int counts[A][B][C];

static void rows(int a, int b, int c, int d, float (*restrict to)[B][C][D], float (*restrict from)[B][C][D])
{
#pragma acc kernels loop copyin(from[0:A]) copy(to[0:A])
  for (int i = 0; i < a; i++)
    for (int j = 1; j < b; j++)
      for (int k = 0; k < c; k++)
        for (int l = 2; l < d; l++)
          to[i][j][k][l] = from[i][j][k][l] + 0.5f * from[i][j][k][l - 2];
}

static void five(int n, double (*restrict to)[A][B][C][E])
{
#pragma acc parallel loop collapse(5) copy(to[0:2])
  for (int h = 0; h < 2; h++)
    for (int i = 0; i < A; i++)
      for (int j = n; j >= 0; j -= 2)
        for (int k = 1; k < C; k += 3)
          for (int l = 0; l < E; l++)
            to[h][i][j][k][l] = h * 10000 + i * 1000 + j * 100 + k * 10 + l;
}

static void corner(int n, double (*restrict to)[E][E][D])
{
#pragma acc kernels loop copy(to[0:E])
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int k = j; k < n; k++)
        for (int l = 0; l < D - k; l++)
          to[i][j][k][l] += 1 + l;
}

static void counted(int n, int (*restrict to)[B][C])
{
#pragma acc parallel loop collapse(3) copyout(to[0:A])
  for (int i = 0; i < A; i++)
    for (int j = 0; j < B; j++)
      for (int k = 0; k < C; k++) {
        int found = 0;
        for (int l = 0; l < n; l++)
          found += (i + j * k + l) % 3 == 0;
        to[i][j][k] = found;
      }
}

static void written_by_all(int n, int *restrict total)
{
#pragma acc parallel loop collapse(4) copy(total[0:1])
  for (int i = 0; i < A; i++)
    for (int j = 0; j < B; j++)
      for (int k = 0; k < C; k++)
        for (int l = 0; l < n; l++) {
#pragma acc atomic
          total[0] += i + j + k + l;
        }
}

static void long_rows(int n, const int *restrict x, int (*restrict to)[2][2][2])
{
#pragma acc parallel loop collapse(4) copyin(x[0:n]) copyout(to[0:2])
  for (int h = 0; h < 2; h++)
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        for (int k = 0; k < 2; k++) {
          int found = 0;
          for (int l = 0; l < n; l++)
            found += x[l] * (h + 1) + i - j * k;
          to[h][i][j][k] = found;
        }
}

static double added(int n, double (*restrict from)[E][E][D])
{
  double all = 0;
#pragma acc parallel loop collapse(4) reduction(+:all) copyin(from[0:E])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < E; j++)
      for (int k = 0; k < E; k++)
        for (int l = 0; l < D; l++)
          all += from[i][j][k][l];
  return all;
}

static void in_many_groups(int n, int *restrict total)
{
#pragma acc parallel loop collapse(2) copy(total[0:1])
  for (int i = 0; i < 1000; i++)
    for (int l = 0; l < n; l++) {
#pragma acc atomic
      total[0] += (i + l) % 7;
    }
}

static double of_floats(const float *x, int n)
{
  double all = 0;
  for (int i = 0; i < n; i++)
    all += x[i] * (i % 11 + 1);
  return all;
}

static double of_doubles(const double *x, int n)
{
  double all = 0;
  for (int i = 0; i < n; i++)
    all += x[i] * (i % 11 + 1);
  return all;
}

int main(void)
{
  for (int i = 0; i < A * B * C * D; i++)
    (&small[0][0][0][0])[i] = i % 17;
  rows(A, B, C, D, sums, small);
  printf("%.1f\n", of_floats(&sums[0][0][0][0], A * B * C * D));
  rows(A, 1, C, D, sums, small); // nothing to do
  rows(1, B, C - 1, D - 1, sums, small);
  printf("%.1f\n", of_floats(&sums[0][0][0][0], A * B * C * D));
  five(B - 1, deep);
  printf("%.0f\n", of_doubles(&deep[0][0][0][0][0], 2 * A * B * C * E));
  corner(E, wedge);
  corner(0, wedge);
  corner(E - 2, wedge);
  printf("%.0f\n", of_doubles(&wedge[0][0][0][0], E * E * E * D));
  counted(100, counts);
  int all = 0, total = 0;
  for (int i = 0; i < A * B * C; i++)
    all += (&counts[0][0][0])[i] * (i % 7);
  written_by_all(9, &total);
  int many = 0, long_sum = 0, x[5000], cubes[2][2][2][2];
  for (int i = 0; i < 5000; i++)
    x[i] = i % 5;
  in_many_groups(100, &many);
  long_rows(5000, x, cubes);
  for (int i = 0; i < 16; i++)
    long_sum += (&cubes[0][0][0][0])[i] * (i % 7 + 1);
  printf("%d %d %.0f\n", many, long_sum, added(E, wedge));
  printf("%d %d\n", all, total);
  return 0;
}
