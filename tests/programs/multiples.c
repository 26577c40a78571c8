// Sizes that are multiples of others: heads of a quotient's width beside rows of three kinds, matrices in blocks whose
// size is a parameter, ranges of a vector. Where a size is no multiple, blocks reach beyond a row or arrays are one, the
// loops run as they are written; so they do for blocks of no elements.
// prints: -14086 -11794 29 -304345 | 5048 5048 2731 5048 0 | 213.5 204.5 202.25 218 | 4006 4674 4480 1770
// launches: 12
#include <stdio.h>

static float inp[2 * 7 * 3 * 24], out[2 * 7 * 24], att[2 * 5 * 7 * 7];
static double a[12 * 12], b[12 * 12], c[12 * 12];
static float vector[60];

static double sum_of(int n, const float *p)
{
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += p[k] * (k % 5 - 1);
  return sum;
}

/* dot products of queries with keys, none above 0, and values weighted with them */
static void attention(int B, int T, int C, int NH, float *out, float *att, const float *inp)
{
  int C3 = C * 3, hs = NH ? C / NH : 0;
  for (int k = 0; k < 2 * 7 * 3 * 24; k++)
    ((float *)inp)[k] = (float)(k * 7 % 5 - 1);
#pragma acc kernels
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++)
      for (int h = 0; h < NH; h++) {
        const float *query = inp + b * T * C3 + t * C3 + h * hs;
        float *row = att + b * NH * T * T + h * T * T + t * T;
        for (int t2 = 0; t2 <= t; t2++) {
          const float *key = inp + b * T * C3 + t2 * C3 + h * hs + C;
          float val = 0;
          for (int i = 0; i < hs; i++)
            val += query[i] * key[i];
          row[t2] = val;
        }
        float largest = -1000;
        for (int t2 = 0; t2 <= t; t2++)
          if (row[t2] > largest)
            largest = row[t2];
        for (int t2 = 0; t2 < T; t2++) {
          if (t2 <= t)
            row[t2] -= largest;
          else
            row[t2] = 0;
        }
        float *to = out + b * T * C + t * C + h * hs;
        for (int i = 0; i < hs; i++)
          to[i] = 0;
        for (int t2 = 0; t2 <= t; t2++) {
          const float *value = inp + b * T * C3 + t2 * C3 + h * hs + C * 2;
          for (int i = 0; i < hs; i++)
            to[i] += row[t2] * value[i];
        }
      }
}

static void in_blocks(int n, int size, const double *a, const double *b, double *c)
{
#pragma acc kernels
  for (int bi = 0; bi < n / size; bi++)
    for (int bj = 0; bj < n / size; bj++)
      for (int bk = 0; bk < n / size; bk++)
        for (int i = 0; i < size; i++)
          for (int j = 0; j < size; j++)
            for (int k = 0; k < size; k++)
              c[(bi * size + i) * n + bj * size + j] +=
                  a[(bi * size + i) * n + bk * size + k] * b[(bk * size + k) * n + bj * size + j];
}

static double product(int n, int size)
{
  for (int k = 0; k < 144; k++) {
    a[k] = k % 7;
    b[k] = k % 5 - 1;
    c[k] = 0;
  }
  in_blocks(n, size, a, b, c);
  double sum = 0;
  for (int k = 0; k < 144; k++)
    sum += c[k] * (k % 3);
  return sum;
}

/* every block lowered by its own least element, which is its first */
static void lowered(int n, int size, int rows, int columns, double *a)
{
#pragma acc kernels
  for (int bi = 0; bi < rows; bi++)
    for (int bj = 0; bj < columns; bj++)
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
          a[(bi * size + i) * n + bj * size + j] -= 0.125 * (bi + j);
}

static double lowered_sum(int n, int size, int rows, int columns)
{
  for (int k = 0; k < 144; k++)
    a[k] = k % 7;
  lowered(n, size, rows, columns, a);
  double sum = 0;
  for (int k = 0; k < 144; k++)
    sum += a[k] * (k % 4 - 1);
  return sum;
}

/* as many elements for each of some parts as there are in C for a part, what is left over belongs to none */
static void shared_out(int rows, int C, int parts, float *vector)
{
#pragma acc kernels
  for (int r = 0; r < rows; r++)
    for (int p = 0; p < parts; p++)
      for (int k = 0; k < C / parts; k++)
        vector[r * C + p * (C / parts) + k] += (float)(r + p);
}

static double shares(int rows, int C, int parts)
{
  for (int k = 0; k < 60; k++)
    vector[k] = 1;
  shared_out(rows, C, parts, vector);
  double sum = 0;
  for (int k = 0; k < 60; k++)
    sum += vector[k] * k;
  return sum;
}

int main(void)
{
  attention(2, 7, 24, 4, out, att, inp);
  printf("%g", sum_of(2 * 7 * 24, out));
  attention(2, 7, 23, 5, out, att, inp); /* heads of 4 leave 3 elements */
  printf(" %g", sum_of(2 * 7 * 24, out));
  attention(2, 7, 24, 4, inp, att, inp); /* the output lies over the input */
  printf(" %g", sum_of(2 * 24, inp));
  attention(0, 7, 24, 0, out, att, inp);
  printf(" %g |", sum_of(2 * 5 * 7 * 7, att));
  for (int size = 3; size < 7; size++)
    printf(" %g", product(12, size));
  printf(" %g |", product(0, 4));
  for (int rows = 3; rows < 6; rows++) /* five blocks beside each other are more than a row */
    printf(" %g", lowered_sum(12, 3, 3, rows));
  printf(" %g |", lowered_sum(12, 0, 4, 4));
  for (int parts = 3; parts < 6; parts++)
    printf(" %g", shares(2, 24, parts));
  printf(" %g\n", shares(0, 24, 4));
  return 0;
}
