// C as it is made of Fortran: ends of loops in variables that get them from pointers, steps behind pointers, arrays that
// begin at 1.
// prints: product 4964.0
// prints: triangle 177 392
// prints: strides 3482.0 98.0
// prints: an end that changes 15
// prints: a step that changes 7
// prints: an end among what is stored 9 1 8
// prints: no end 0
// launches: 3
#include <stdio.h>

static double a[600], b[600], c[600];
static int numbers[100];

static void product(const int *m, const int *n, const int *k, const double *a, const int *lda, const double *b,
                    const int *ldb, double *c, const int *ldc)
{
  int a_dim1 = *lda, b_dim1 = *ldb, c_dim1 = *ldc, i1, i2, i3, i, j, l;
  a -= 1 + a_dim1;
  b -= 1 + b_dim1;
  c -= 1 + c_dim1;
  i1 = *n;
#pragma acc kernels
  for (j = 1; j <= i1; ++j) {
    i2 = *m;
    for (i = 1; i <= i2; ++i)
      c[i + j * c_dim1] = 0.;
    i2 = *k;
    for (l = 1; l <= i2; ++l) {
      double temp = b[l + j * b_dim1];
      i3 = *m;
      for (i = 1; i <= i3; ++i)
        c[i + j * c_dim1] += temp * a[i + l * a_dim1];
    }
  }
}

static void triangle(const int *n, int (*t)[10])
{
  int i1, i2, i, j;
  i1 = *n;
#pragma acc kernels
  for (j = 1; j <= i1; ++j) {
    i2 = j - 1;
    for (i = 1; i <= i2; ++i)
      t[j][i] = i * j;
    i2 = *n;
    for (i = j; i <= i2; ++i)
      t[j][i] = -i;
  }
}

static void strides(const int *n, const double *x, const int *incx, double *y, const int *incy)
{
  int ix = 0, iy = 0, i, i1 = *n;
#pragma acc kernels
  for (i = 1; i <= i1; ++i) {
    y[iy] = x[ix] * 3;
    ix += *incx;
    iy += *incy;
  }
  y[18] = ix;
  y[19] = iy;
}

static int changing_end(int *n, int *x)
{
  int last, i, j;
#pragma acc kernels
  for (j = 0; j < 5; j++) {
    last = *n;
    for (i = 0; i < last; i++)
      x[i + 10 * j] = 1;
    *n = *n - 1;
  }
  int sum = 0;
  for (i = 0; i < 50; i++)
    sum += x[i];
  return sum;
}

static int changing_step(int *step, int *x)
{
  int at = 0, i;
#pragma acc kernels
  for (i = 0; i < 3; i++) {
    x[at] = 1;
    at += *step;
    *step *= 2;
  }
  return at;
}

static void ends_among(const int *n, int *x, int rows)
{
  int last, i, j;
#pragma acc kernels
  for (j = 0; j < rows; j++) {
    last = *n;
    for (i = 0; i < last; i++)
      x[i] = i == 1 ? 1 : x[i] + 3;
  }
}

static void no_end(int rows, const int *n, int *x)
{
  int last, i, j;
#pragma acc kernels
  for (j = 0; j < rows; j++) {
    last = *n;
    for (i = 0; i < last; i++)
      x[i + 8 * j] = 1;
  }
}

int main(void)
{
  int m = 9, n = 7, k = 5, ld = 12, one = 1, two = 2, step = 1, end = 5;
  for (int i = 0; i < 600; i++) {
    a[i] = i % 7;
    b[i] = i % 5;
    c[i] = -1;
  }
  product(&m, &n, &k, a, &ld, b, &ld, c, &ld);
  double sum = 0;
  for (int i = 0; i < 600; i++)
    sum += c[i] * (i % 9);
  printf("product %.1f\n", sum);

  triangle(&n, (int(*)[10])numbers);
  int all = 0, some = 0;
  for (int i = 0; i < 100; i++) {
    all += numbers[i] * (i % 3);
    some += numbers[i] * 2 + (numbers[i] < 0);
  }
  printf("triangle %d %d\n", all, some);

  strides(&n, a, &two, c, &one);
  sum = 0;
  for (int i = 0; i < 20; i++)
    sum += c[i] * i;
  printf("strides %.1f %.1f\n", sum, c[18] * c[19]);

  for (int i = 0; i < 100; i++)
    numbers[i] = 0;
  printf("an end that changes %d\n", changing_end(&end, numbers));
  printf("a step that changes %d\n", changing_step(&step, numbers));
  int own[] = { 0, 3, 5, 6 };
  ends_among(own + 1, own, 3);
  printf("an end among what is stored %d %d %d\n", own[0], own[1], own[2]);
  no_end(0, 0, numbers);
  printf("no end %d\n", numbers[99]);
  return 0;
}
