// Sparse matrices in rows, columns, pairs and diagonals of a table, their rows walked through in every way that C has.
// Rows are empty, short, a vector long, much longer, or end before they begin. All sums are exact, in whatever order.
// prints: 0 wrong
// launches: 30
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { N = 150, WIDTH = 7, MOST = 3000 };
struct entry {
  int column;
  double value;
};
static int row[N + 1], last[N], column[MOST], place[MOST], wrong, diagonal[WIDTH * N];
static long row_long[N + 1];
static size_t row_size[N + 1], column_size[MOST];
static unsigned row_unsigned[N + 1];
static unsigned char byte[N];
static double value[MOST], x[N], y[N], expected[N], band[WIDTH * N], table[256];
static float value_float[MOST], x_float[N], y_float[N];
static struct entry entries[MOST];

static void compare(int line)
{
  for (int i = 0; i < N; i++)
    if (y[i] != expected[i]) {
      printf("line %d: row %d is %g, not %g\n", line, i, y[i], expected[i]);
      wrong++;
      break;
    }
  memset(y, 0, sizeof y);
}
static void take_short(int line)
{
  for (int i = 0; i < N; i++)
    y[i] = y_float[i];
  compare(line);
}
#define IS(CALL) CALL, compare(__LINE__)

static void counted(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = begin[i]; k < begin[i + 1]; ++k)
      sum += v[k] * from[c[k]];
    to[i] = sum;
  }
}

static void combined(int n, const int *begin, const int *c, const double *v, const double *from, double *to)
{
#pragma acc parallel loop gang
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int k = begin[i]; k < begin[i + 1]; k++)
      sum += v[k] * from[c[k]];
    to[i] = sum;
  }
}

static void combined_up_to(int n, const int *begin, const int *end, const struct entry *all, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma acc loop reduction(+ : sum)
    for (int k = begin[i]; k <= end[i]; k++) {
      const struct entry one = all[k];
      sum += one.value * from[one.column];
    }
    to[i] = sum;
  }
}

static void combined_by_size(size_t n, const size_t *begin, const size_t *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
#pragma acc loop reduction(+ : sum)
    for (size_t k = begin[i]; k != begin[i + 1]; k++) {
      const size_t at = c[k], same = at;
      const double factor = v[k] / 2, twice = factor + factor;
      sum = sum + twice * from[same];
    }
    to[i] = sum;
  }
}

static void combined_from_behind(unsigned n, const unsigned *begin, const unsigned *end, const double *v, double *restrict to)
{
#pragma acc parallel loop
  for (unsigned i = 0; i < n; i++) {
    double sum = 0, most = -1;
#pragma acc loop reduction(+ : sum) reduction(max : most)
    for (unsigned k = begin[i]; k < end[i]; k++) {
      sum += v[k];
      if (v[k] > most)
        most = v[k];
    }
    to[i] = sum + 1000 * most;
  }
}

static void combined_short(int n, const int *begin, const int *c, const float *v, const float *from, float *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    float sum = 1;
#pragma acc loop reduction(+ : sum)
    for (int k = begin[i]; k < begin[i + 1]; k++)
      sum -= v[k] * from[c[k]];
    to[i] = 1 - sum;
  }
}

#define NEIGHBOURS(NAME, TYPE) \
  static void NAME(int n, const int *begin, const int *c, const TYPE *from, TYPE *restrict to) \
  { \
    _Pragma("acc parallel loop") for (int i = 0; i < n; i++) { \
      TYPE near = 0, far = 0, least = 100; \
      _Pragma("acc loop vector reduction(+ : near, far) reduction(min : least)") for (int k = begin[i]; k < begin[i + 1]; k++) { \
        int j = c[k]; \
        TYPE d = from[j] - from[i], square = d * d; \
        if (square < 9) { \
          TYPE part = square * d - 2 * d + 1; \
          near += part * d; \
          if (d > 0) \
            far -= d * part / 4; \
        } else \
          far += (square - 3) * (d + 5) / 8; \
        least = square < least ? square : least; \
      } \
      to[i] = near * 16 + far + least; \
    } \
  }
NEIGHBOURS(combined_near, double)
NEIGHBOURS(combined_near_short, float)

static double combined_over_all(int n, const int *begin, const int *c, const double *v, const double *from)
{
  double all = 0;
#pragma acc parallel loop reduction(+ : all)
  for (int i = 0; i < n; i++)
    for (int k = begin[i]; k < begin[i + 1]; k++)
      all += v[k] * from[c[k]];
  return all;
}

static double weight(double a, double b)
{
  double product = a * b;
  return product < -6 ? -6 : product;
}

static double combined_by_calls(int n, const int *begin, const int *c, const double *v, const double *from)
{
  double all = 0;
#pragma acc parallel loop reduction(+ : all)
  for (int i = 0; i < n; i++)
    for (int k = begin[i]; k < begin[i + 1]; k++)
      all += weight(v[k], from[c[k]]);
  return all;
}

static void in_order(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma acc loop seq
    for (int k = begin[i]; k < begin[i + 1]; k++) {
      int at = k, before = at;
      at = c[k];
      sum += v[before] * from[at];
    }
    to[i] = sum;
  }
}

static void by_long(int n, const long *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (long k = begin[i]; k < begin[i + 1]; k++)
      sum += v[k] * from[c[k]];
    to[i] = sum;
  }
}

static void by_unsigned(unsigned n, const unsigned *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (unsigned i = 0; i < n; i++) {
    double sum = 0;
    for (unsigned k = begin[i]; k < begin[i + 1]; k++)
      sum += v[k] * from[c[k]];
    to[i] = sum;
  }
}

static void downwards(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = begin[i + 1] - 1; k >= begin[i]; k--)
      sum += v[k] * from[c[k]];
    to[i] = sum;
  }
}

static void in_place(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 1; i <= n; i++) {
    to[i - 1] = 0;
    for (int k = begin[i - 1]; k <= begin[i] - 1; k++)
      to[i - 1] += v[k] * from[c[k]];
  }
}

static void while_running(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    int k = begin[i], end = begin[i + 1];
    while (k < end) {
      double one = v[k];
      sum += one * from[c[k++]];
    }
    to[i] = sum;
  }
}

static void do_while_running(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    int k = begin[i];
    if (k < begin[i + 1])
      do
        sum += v[k] * from[c[k]];
      while (++k < begin[i + 1]);
    to[i] = sum;
  }
}

static void walking(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    const double *p = v + begin[i], *end = v + begin[i + 1];
    const int *q = c + begin[i];
    while (p < end)
      sum += *p++ * from[*q++];
    to[i] = sum;
  }
}

static void walking_counted(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    const double *p = &v[begin[i]];
    const int *q = &c[begin[i]];
    for (int k = begin[i]; k < begin[i + 1]; k++)
      sum += *p++ * from[*q++];
    to[i] = sum;
  }
}

static void by_length(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    int length = begin[i + 1] - begin[i];
    const double *own = v + begin[i];
    const int *where = c + begin[i];
#pragma acc loop reduction(+ : sum)
    for (int k = 0; k < length; k++)
      sum += own[k] * from[where[k]];
    to[i] = sum;
  }
}

static void skipping(int n, const int *begin, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma acc loop reduction(+ : sum)
    for (int k = begin[i]; k < begin[i + 1]; k++) {
      if (v[k] == 0)
        continue;
      sum += v[k] * from[c[k]];
    }
    to[i] = sum;
  }
}

static void by_columns(int n, const int *begin, const int *r, const double *v, const double *from, double *to)
{
#pragma acc parallel loop
  for (int j = 0; j < n; j++) {
    double one = from[j];
    for (int k = begin[j]; k < begin[j + 1]; k++) {
#pragma acc atomic update
      to[r[k]] += v[k] * one;
    }
  }
}

static void in_pairs(int n, const int *r, const int *c, const double *v, const double *from, double *to)
{
#pragma acc parallel loop
  for (int k = 0; k < n; k++) {
#pragma acc atomic
    to[r[k]] += v[k] * from[c[k]];
  }
}

static void in_a_table(int n, int width, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < width; k++) {
      int j = c[i * width + k];
      if (j >= 0)
        sum += v[i * width + k] * from[j];
    }
    to[i] = sum;
  }
}

static void in_a_table_by_columns(int n, int width, const int *c, const double *v, const double *from, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma acc loop reduction(+ : sum)
    for (int k = 0; k < width; k++)
      sum += v[k * n + i] * from[c[k * n + i] < 0 ? 0 : c[k * n + i]] * (c[k * n + i] >= 0);
    to[i] = sum;
  }
}

static void over_edges(int n, const int *one, const int *other, const double *weight, const double *from, double *to)
{
#pragma acc parallel loop
  for (int e = 0; e < n; e++) {
    int a = one[e], b = other[e];
    double flow = weight[e] * (from[b] - from[a]);
#pragma acc atomic update
    to[a] += flow;
#pragma acc atomic update
    to[b] -= flow;
  }
}

static void over_edges_by_gang(int n, const int *one, const int *other, const double *weight, const double *restrict from, double *restrict to)
{
#pragma acc kernels loop gang
  for (int e = 0; e < n; e++) {
    double flow = weight[e] * (from[other[e]] - from[one[e]]);
    to[one[e]] += flow;
    to[other[e]] -= flow;
  }
}

static void looked_up(int n, const unsigned char *code, const double *meaning, double *restrict to)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    to[i] = meaning[code[i]];
}

static int length_of(int i)
{
  static const int lengths[] = {0, 1, 3, 4, 5, 15, 16, 17, 19, 33, 2, 0};
  return i == 77 ? 700 : i % 13 == 12 ? 31 : lengths[i % 12];
}

static void make(void)
{
  int k = 0;
  for (int i = 0; i < N; i++) {
    row[i] = k;
    x[i] = x_float[i] = i % 9 - 4;
    byte[i] = 255 - i * 7;
    for (int t = 0; t < length_of(i); t++, k++) {
      column[k] = entries[k].column = (i * 31 + t * 17) % N;
      value[k] = value_float[k] = entries[k].value = (k * 5) % 8 - 3;
      column_size[k] = column[k];
      place[k] = i;
    }
    last[i] = k - 1;
  }
  row[N] = k;
  for (int i = 0; i <= N; i++)
    row_long[i] = row_size[i] = row_unsigned[i] = row[i];
  for (int i = 0; i < 256; i++)
    table[i] = 3 * i - 100;
  for (int i = 0; i < WIDTH * N; i++) {
    diagonal[i] = i % 5 ? i * 3 % N : -1;
    band[i] = i % 4;
  }
}

static void expect_rows(void)
{
  for (int i = 0; i < N; i++) {
    expected[i] = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
      expected[i] += value[k] * x[column[k]];
  }
}

static void rows(void)
{
  expect_rows();
  IS(counted(N, row, column, value, x, y));
  IS(combined(N, row, column, value, x, y));
  IS(combined_up_to(N, row, last, entries, x, y));
  IS(combined_by_size(N, row_size, column_size, value, x, y));
  IS(in_order(N, row, column, value, x, y));
  IS(by_long(N, row_long, column, value, x, y));
  IS(by_unsigned(N, row_unsigned, column, value, x, y));
  IS(downwards(N, row, column, value, x, y));
  IS(in_place(N, row, column, value, x, y));
  IS(while_running(N, row, column, value, x, y));
  IS(do_while_running(N, row, column, value, x, y));
  IS(walking(N, row, column, value, x, y));
  IS(walking_counted(N, row, column, value, x, y));
  IS(by_length(N, row, column, value, x, y));
  IS(skipping(N, row, column, value, x, y));
  IS(in_pairs(row[N], place, column, value, x, y));
  combined_short(N, row, column, value_float, x_float, y_float);
  take_short(__LINE__);
  double all = 0;
  for (int i = 0; i < N; i++)
    all += expected[i];
  wrong += combined_over_all(N, row, column, value, x) != all;
  all = 0;
  for (int k = 0; k < row[N]; k++)
    all += weight(value[k], x[column[k]]);
  wrong += combined_by_calls(N, row, column, value, x) != all;
}

static void expect_neighbours(void)
{
  for (int i = 0; i < N; i++) {
    double near = 0, far = 0, least = 100;
    for (int k = row[i]; k < row[i + 1]; k++) {
      double d = x[column[k]] - x[i], part = d * d * d - 2 * d + 1;
      near += d * d < 9 ? part * d : 0;
      far += d * d >= 9 ? (d * d - 3) * (d + 5) / 8 : d > 0 ? -d * part / 4 : 0;
      least = fmin(least, d * d);
    }
    expected[i] = near * 16 + far + least;
  }
}

static void expect_edges(void)
{
  memset(expected, 0, sizeof expected);
  for (int e = 0; e < row[N]; e++) {
    double flow = value[e] * (x[column[e]] - x[place[e]]);
    expected[place[e]] += flow;
    expected[column[e]] -= flow;
  }
}

static void others(void)
{
  unsigned end[N];
  for (int i = 0; i < N; i++) {
    end[i] = i % 7 == 3 ? row_unsigned[i] / 2 : row_unsigned[i + 1]; /* some before they begin */
    double sum = 0, most = -1;
    for (unsigned k = row_unsigned[i]; k < end[i]; k++) {
      sum += value[k];
      most = fmax(most, value[k]);
    }
    expected[i] = sum + 1000 * most;
  }
  IS(combined_from_behind(N, row_unsigned, end, value, y));
  memset(expected, 0, sizeof expected);
  for (int j = 0; j < N; j++)
    for (int k = row[j]; k < row[j + 1]; k++)
      expected[column[k]] += value[k] * x[j];
  IS(by_columns(N, row, column, value, x, y));
  for (int i = 0; i < N; i++) {
    expected[i] = 0;
    for (int k = 0; k < WIDTH; k++)
      expected[i] += diagonal[i * WIDTH + k] < 0 ? 0 : band[i * WIDTH + k] * x[diagonal[i * WIDTH + k]];
  }
  IS(in_a_table(N, WIDTH, diagonal, band, x, y));
  for (int i = 0; i < N; i++) {
    expected[i] = 0;
    for (int k = 0; k < WIDTH; k++)
      expected[i] += diagonal[k * N + i] < 0 ? 0 : band[k * N + i] * x[diagonal[k * N + i]];
  }
  IS(in_a_table_by_columns(N, WIDTH, diagonal, band, x, y));
  expect_neighbours();
  IS(combined_near(N, row, column, x, y));
  combined_near_short(N, row, column, x_float, y_float);
  take_short(__LINE__);
  expect_edges();
  IS(over_edges(row[N], place, column, value, x, y));
  IS(over_edges_by_gang(row[N], place, column, value, x, y));
  for (int i = 0; i < N; i++)
    expected[i] = table[byte[i]];
  IS(looked_up(N, byte, table, y));
}

int main(void)
{
  make();
  rows();
  others();
  printf("%d wrong\n", wrong);
  return 0;
}
