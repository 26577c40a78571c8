// Subscripts that can't be followed: a region takes what is present of a pointer, and runs on the host where that is not
// known, not all there, or in the way of something else.
// prints: nobody 499500
// prints: around 499500
// prints: caller 499500
// prints: entered 1735
// prints: scattered 2997 0
// prints: members 2450
// prints: past its start 2550
// prints: partly 9900
// prints: two sections 110
// prints: in one section 1500 99
// prints: none 0
// prints: one by index 10
// prints: a number for a section 9900
// launches: 11
// natively launches: 15
#include <stdio.h>
#include <stdlib.h>
enum { N = 1000 };

typedef struct matrix {
  int rows;
  int *first, *column;
  double *value;
} matrix;

static double gathered(int n, const int *index, const double *restrict x, double *restrict y)
{
  double sum = 0;
#pragma acc parallel loop copyin(index[0:n]) copyout(y[0:n])
  for (int i = 0; i < n; i++)
    y[i] = x[index[i]];
  for (int i = 0; i < n; i++)
    sum += y[i];
  return sum;
}

static void scatter(int n, const int *index, const double *x, double *y)
{
#pragma acc parallel loop copyin(index[0:n], x[0:n])
  for (int i = 0; i < n; i++)
    y[index[i]] = 3 * x[i];
}

static double product(const matrix *m, const double *x, double *restrict y)
{
  int rows = m->rows;
  double sum = 0;
#pragma acc parallel loop present(m->first, m->column, x) copyout(y[0:rows])
  for (int i = 0; i < rows; i++) {
    double row = 0;
    for (int k = m->first[i]; k < m->first[i + 1]; k++)
      row += m->value[k] * x[m->column[k]];
    y[i] = row;
  }
  for (int i = 0; i < rows; i++)
    sum += y[i];
  return sum;
}

/* touches x[n - 1] in any case */
static void mixed(int n, const int *index, double *x)
{
#pragma acc parallel loop copyin(index[0:n])
  for (int i = 0; i < n; i++)
    x[i] = index[i] < n / 2 ? x[i] : x[i] + 0 * x[index[i] + n];
}

static double total(const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  return sum;
}

// Programs write the length where a first element and a length belong; of what is present, the table knows both.
static void doubled(int n, double *x)
{
#pragma acc parallel loop present(x[n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

int main(void)
{
  int *index = malloc(N * sizeof *index);
  double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  for (int i = 0; i < N; i++)
    index[i] = (i * 7) % N, x[i] = i, y[i] = 0;
  printf("nobody %g\n", gathered(N, index, x, y));
#pragma acc data copyin(x[0:N])
  {
#pragma acc parallel loop copyin(index[0:N]) copyout(y[0:N])
    for (int i = 0; i < N; i++)
      y[i] = x[index[i]];
  }
  printf("around %g\n", total(y, N));
#pragma acc data copyin(x[0:N])
  printf("caller %g\n", gathered(N, index, x, y));

  for (int i = 0; i < 30; i++)
    index[i] = 100 + (i < 10 ? 0 : i);
#pragma acc enter data copyin(x[100:50])
  printf("entered %g\n", gathered(10, index, x, y) + gathered(6, index + 20, x, y));
#pragma acc exit data delete(x[100:50])

  for (int i = 0; i < N; i++)
    index[i] = N - 1 - i, y[i] = 0;
#pragma acc data copy(y[0:N])
  scatter(N, index, x, y);
  printf("scattered %g %g\n", y[0], y[N - 1]);

  matrix m = {50, malloc(51 * sizeof(int)), malloc(100 * sizeof(int)), malloc(100 * sizeof(double))};
  for (int i = 0; i <= 50; i++)
    m.first[i] = 2 * i;
  for (int k = 0; k < 100; k++)
    m.column[k] = k / 2, m.value[k] = 1;
#pragma acc enter data copyin(m.first[0:51], m.column[0:100], m.value[0:100], x[0:50])
  printf("members %g\n", product(&m, x, y));
#pragma acc exit data delete(m.first[0:51], m.column[0:100], m.value[0:100], x[0:50])

  double *from_one = x - 1;
  for (int i = 0; i < N; i++)
    index[i] = i % 50 + 1;
#pragma acc data copyin(from_one[1:N])
  printf("past its start %g\n", gathered(100, index, from_one, y) + 100);

  for (int i = 0; i < N; i++)
    index[i] = i;
#pragma acc data copy(x[0:50])
  mixed(100, index, x);
  printf("partly %g\n", 2 * total(x, 100));

#pragma acc enter data copyin(x[0:10])
#pragma acc enter data copyin(x[20:10])
  index[0] = 5, index[1] = 25, index[2] = 50, index[3] = 30;
  printf("two sections %g\n", gathered(4, index, x, y));
#pragma acc exit data delete(x[0:10], x[20:10])

  for (int i = 0; i < 100; i++)
    index[i] = i == 99 ? 100 : i;
#pragma acc data copy(x[0:N])
  scatter(100, index, x + 500, x);
  printf("in one section %g %g\n", x[0], x[99]);

#pragma acc data copyin(x[0:0])
  printf("none %g\n", gathered(0, index, x, y));

  double sum = 0;
#pragma acc data create(x[0:100])
  {
#pragma acc parallel loop present(x[0:100])
    for (int i = 0; i < 100; i++)
      x[i] = 1;
#pragma acc parallel loop present(x) reduction(+ : sum)
    for (int i = 0; i < 10; i++)
      sum += x[index[99 - i] - 90];
  }
  printf("one by index %g\n", sum);

  for (int i = 0; i < 100; i++)
    x[i] = i;
#pragma acc data copy(x[0:100])
  doubled(100, x);
  printf("a number for a section %g\n", total(x, 100));
  free(index), free(x), free(y), free(m.first), free(m.column), free(m.value);
  return 0;
}
