/* Poisson's equation by conjugate gradients, the matrix in compressed rows. */
#include "everyday.h"

struct matrix {
  int n;
  int *row, *column;
  double *value;
};

static struct matrix poisson(int side)
{
  int n = side * side, k = 0;
  struct matrix m = {n, allocate((n + 1) * sizeof(int)), allocate(5 * n * sizeof(int)), allocate(5 * n * sizeof(double))};
  for (int i = 0; i < n; i++) {
    int x = i % side, y = i / side, to[5] = {y ? i - side : -1, x ? i - 1 : -1, i, x < side - 1 ? i + 1 : -1, y < side - 1 ? i + side : -1};
    m.row[i] = k;
    for (int t = 0; t < 5; t++)
      if (to[t] >= 0) {
        m.column[k] = to[t];
        m.value[k++] = to[t] == i ? 4 : -1;
      }
  }
  m.row[n] = k;
  return m;
}

static void multiply(int n, const int *row, const int *column, const double *value, const double *x, double *y)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

static double dot(int n, const double *x, const double *y)
{
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

static void add(int n, double a, const double *x, double b, double *y)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + b * y[i];
}

int main(int argc, char **argv)
{
  int side = argument(argc, argv, 1, 500), repeats = argument(argc, argv, 2, 2), n = side * side, steps = 100;
  struct matrix m = poisson(side);
  double *x = allocate(n * sizeof *x), *r = allocate(n * sizeof *r), *p = allocate(n * sizeof *p), *q = allocate(n * sizeof *q);
  double before = 0, after = 0;
  struct stopwatch watch = {0};
  for (int again = 0; again < repeats; again++) {
    for (int i = 0; i < n; i++) {
      x[i] = 0;
      r[i] = p[i] = i % 7 == 0;
    }
    start(&watch);
    before = after = dot(n, r, r);
    for (int t = 0; t < steps && after > 1e-20 * before; t++) {
      multiply(n, m.row, m.column, m.value, p, q);
      double alpha = after / dot(n, p, q), old = after;
      add(n, alpha, p, 1, x);
      add(n, -alpha, q, 1, r);
      after = dot(n, r, r);
      add(n, 1, r, after / old, p);
    }
    stop(&watch);
  }
  multiply(n, m.row, m.column, m.value, x, q);
  double difference = 0;
  for (int i = 0; i < n; i++)
    difference += fabs((i % 7 == 0) - q[i] - r[i]);
  require(difference < 1e-8 * n, "what is left is what the recurrence says");
  result("residual", after / before);
  print_time(&watch);
  return 0;
}
