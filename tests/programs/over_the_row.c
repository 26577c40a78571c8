// Rows of a linearised array: subscripts that name its first row, run over the end of one, or come from the data.
// prints: 47 52 1148 1201 3075 1 1 11364
// launches: 6
#include <stdio.h>

#define ROWS 20
#define COLUMNS 30
static float power[ROWS * COLUMNS + COLUMNS], temp[ROWS * COLUMNS];
static int wide[2 * ROWS * COLUMNS], where[COLUMNS], counts[8];

static int sum(const float *x, int n)
{
  double all = 0;
  for (int k = 0; k < n; k++)
    all += x[k] * (k % 7 + 1);
  return (int)all % 4096;
}

static void corners(int rows, int columns, float *restrict t, float *restrict p)
{
#pragma acc parallel loop collapse(2) copyin(p[0:rows * columns]) copyout(t[0:columns * rows])
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      t[r * columns + c] = p[r * columns + c] - p[0] + (p[columns] - p[0]);
}

static void next_row(int rows, int columns, float *restrict t, float *restrict p)
{
#pragma acc kernels loop copy(t[0:rows * columns])
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      t[r * columns + c] = p[r * columns + c + 1] + p[r * columns + columns];
}

static void same_size(int blocks, int m, int *a, int *b)
{
#pragma acc parallel loop copy(a[0:64 * blocks]) copyin(b[0:blocks * 64])
  for (int i = 0; i < blocks * 64; i++)
    a[i] = b[i] + 1;
#pragma acc parallel loop copy(a[0:blocks * m]) copyin(b[0:m * blocks])
  for (int i = 0; i < blocks * m; i++)
    a[i] += b[i] + i % 2;
}

static void doubled(int rows, int columns, int *restrict a)
{
#pragma acc kernels loop copy(a[0:rows * columns + columns])
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      a[r * columns + c * 2] += r + 2 * c + 1;
}

#define AT(p, n, i, j, k) p[(k) + (n) * ((j) + (n) * (i))]

/* a, b and c may lead out of every row, and never do: which rows those would be has dozens of cases */
static void coarser(int m, int n, int a, int b, int c, int *restrict to, int *restrict from)
{
#pragma acc parallel loop copy(to[0:m * m * m]) copyin(from[0:n * n * n])
  for (int i = 1; i < m; i++)
    for (int j = 1; j < m; j++)
      for (int k = 1; k < m; k++) {
        int x = 2 * i - a, y = 2 * j - b, z = 2 * k - c;
        AT(to, m, i, j, k) = AT(from, n, x, y, z) + AT(from, n, x + 1, y, z) + AT(from, n, x, y + 1, z)
                             + AT(from, n, x, y, z + 1) + AT(from, n, x + 2, y, z) + AT(from, n, x, y + 2, z)
                             + AT(from, n, x, y, z + 2) + AT(from, n, x + 2, y + 2, z + 2);
      }
}

/* iterations of r meet where the data leave the row: in order on the host */
static void chosen(int rows, int columns, int *restrict a, int *restrict w)
{
#pragma acc kernels loop copy(a[0:2 * rows * columns]) copyin(w[0:columns])
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      a[r * columns + w[c]] = 2 * a[r * columns + w[c]] % 1000 + r;
}

/* half as long as what is used, which is known now */
static void too_short(int n, int *restrict a)
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = a[i + n] + 1;
}

int main(void)
{
  for (int k = 0; k < ROWS * COLUMNS + COLUMNS; k++)
    power[k] = k * 5 % 13;
  corners(ROWS, COLUMNS, temp, power);
  int first = sum(temp, ROWS * COLUMNS) & 63;
  next_row(ROWS, COLUMNS, temp, power);
  int second = sum(temp, ROWS * COLUMNS) & 63;
  int *other = wide + ROWS * COLUMNS;
  same_size(4, 64, wide, other);
  long all = 0;
  for (int k = 0; k < 512; k++)
    all += wide[k] * (k % 5 + 1);
  doubled(ROWS, COLUMNS, wide);
  long both = 0;
  for (int k = 0; k < 2 * ROWS * COLUMNS; k++)
    both += wide[k] % 7;
  for (int k = 0; k < COLUMNS; k++)
    where[k] = (k * 17) % (2 * COLUMNS);
  chosen(ROWS - 1, COLUMNS, wide, where);
  long last = 0;
  for (int k = 0; k < 2 * ROWS * COLUMNS; k++)
    last += wide[k] * (k % 3 + 1) % 11;
  too_short(ROWS * COLUMNS, wide);
  for (int k = 0; k < ROWS * COLUMNS; k++)
    counts[0] += wide[k] % 3;
  int ones = 0;
#pragma acc parallel loop copyin(where[0:COLUMNS]) copy(counts[0:8])
  for (int i = 0; i < 7; i++)
    counts[where[i] % 60 / 17 % 4 * 2 + (i & 1)] = 1; /* every element has one value, whoever stores it */
  for (int k = 1; k < 8; k++)
    ones = ones > counts[k] ? ones : counts[k];
  long sums = 0;
  for (int k = 0; k < 1200; k++)
    wide[k] = k < 1000 ? k * 7 % 23 : 0;
  coarser(5, 10, 1, 2, 1, wide + 1000, wide);
  for (int k = 1000; k < 1125; k++)
    sums += wide[k] * (k % 3 + 1);
  printf("%d %d %ld %ld %ld %d %d %ld\n", first, second, all, both, last, counts[0], ones, sums);
  return 0;
}
