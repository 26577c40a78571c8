// One stencil of a plane in the spellings that programs have: accessor functions that return pointers, pointers that are
// compared and subtracted, memory without a type, rows seen as one array and an array seen as rows, and while loops that
// count.
// prints: 0 0 0 0 0 0 0 0 0 0
// prints: 0 0 0 0 0
// prints: 0 0 0 0 0
// launches: 20
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define N 33
#define FLAT(a, i, j) ((float *)a)[(i)*N + (j)]

struct plane {
  int n;
  float *data;
};

struct untyped {
  int n;
  void *data;
};

struct point {
  float x, y;
};

static float *of(struct plane *p, int i, int j) { return &p->data[i * p->n + j]; }

static const float *at(const float *data, int n, int i, int j)
{
  int row = i * n;
  return data + row + j;
}

static float value(const struct untyped *p, int i, int j) { return ((const float *)p->data)[i * p->n + j]; }

static struct point *nth(struct point *p, int k) { return p + k; }

static void by_accessors(struct plane *to, struct plane *from)
{
#pragma acc parallel loop
  for (int i = 0; i < to->n; i++)
    for (int j = 0; j < to->n; j++)
      *of(to, i, j) = *of(from, i, j) + 1;
}

static void in_the_middle(int n, float *restrict to, const float *restrict from)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      to[i * n + j] = at(from + 1, n, i, j)[-1] + 1;
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    to[i * n] = *at(from, n, i, 0) + 1;
}

static void of_points(int n, struct point *to, struct point *from)
{
#pragma acc parallel loop
  for (int k = 0; k < n; k++) {
    nth(to, k)->x = nth(from, k)->x + 1;
    nth(to, k)->y = nth(from, k)->y + 1;
  }
}

static void up_to_its_end(int n, float *restrict to, const float *restrict from)
{
#pragma acc kernels
  for (const float *p = from; p < from + n; p++)
    to[p - from] = *p + 1;
}

static void down_to_its_start(int n, float *restrict to, const float *restrict from)
{
#pragma acc kernels
  for (const float *p = from + n - 1; p >= from; p--)
    to[p - from] = *p + 1;
}

static void flat(float to[N][N], float from[N][N])
{
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      FLAT(to, i, j) = FLAT(from, i, j) + 1;
}

static void as_rows(int n, float *to, float *from)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      ((float(*)[n])to)[i][j] = ((float(*)[n])from)[i][j] + 1;
}

static void rows_of_its_own(int n, float *to, float *from)
{
#pragma acc kernels
  {
    float(*a)[n] = (float(*)[n])to;
    float(*b)[n] = (float(*)[n])from;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a[i][j] = b[i][j] + 1;
  }
}

static void without_a_type(int n, void *to, const void *from)
{
#pragma acc parallel loop
  for (int k = 0; k < n; k++)
    ((float *)to)[k] = ((const float *)from)[k] + 1;
}

static void behind_a_member(struct untyped *to, const struct untyped *from)
{
#pragma acc parallel loop
  for (int i = 0; i < to->n; i++)
    for (int j = 0; j < to->n; j++)
      ((float *)to->data)[i * to->n + j] = value(from, i, j) + 1;
}

static void while_it_counts(int n, float *restrict to, const float *restrict from)
{
#pragma acc kernels
  {
    int k = 0;
    while (k < n) {
      to[k] = from[k] + 1;
      k++;
    }
  }
}

static void while_pointers_walk(int n, float *restrict to, const float *restrict from)
{
#pragma acc kernels
  {
    float *p = to;
    const float *q = from, *end = from + n;
    while (q < end)
      *p++ = *q++ + 1;
  }
}

static void while_some_are_left(int n, float *restrict to, const float *restrict from)
{
#pragma acc kernels
  {
    float *p = to;
    const float *q = from;
    while (n--)
      *p++ = *q++ + 1;
  }
}

static void while_rows_last(float *restrict to, const float *restrict from)
{
#pragma acc kernels
  for (int i = 0; i < N; i++) {
    float *p = to + N * i;
    const float *q = from + N * i, *end = q + N;
    while (q != end)
      *p++ = *q++ + 1;
  }
}

static void from_where_it_was(int n, float *restrict to, const float *restrict from)
{
#pragma acc kernels
  {
    const float *q = from;
    for (int k = 0; k < n; k++) {
      const float *here = q;
      q++;
      to[k] = *here + 1;
    }
  }
}

static void by_bits(float *restrict to, const float *restrict from)
{
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      to[i * N + j] = from[(((i * N + j) >> 4) << 4) | ((i * N + j) & 15)] + 1;
}

static void by_a_size(int n, float *restrict to, const float *restrict from)
{
  int nn = n * n;
#pragma acc parallel loop
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++) {
      int row = i * nn + j * n;
      for (int k = 0; k < n; k++)
        to[row + k] = from[i * nn + j * n + k] + 1;
    }
}

static void unsigned_downwards(unsigned n, float *restrict to, const float *restrict from)
{
#pragma acc parallel loop
  for (unsigned i = n; i-- > 0;)
    to[i] = from[i] + 1;
}

static void in_bytes(float *restrict to, const float *restrict from)
{
#pragma acc parallel loop
  for (unsigned char i = 0; i < N; i++)
    for (unsigned char j = 0; j < N; j++)
      to[i * N + j] = from[i * N + j] + (float)(unsigned char)(i + j + 1 - (i + j));
}

static void around_the_end(unsigned n, unsigned first, float *restrict to, const float *restrict from)
{
#pragma acc parallel loop
  for (unsigned i = 0; i < n; i++)
    to[i + first + 1] = from[i + first + 1] + 1;
}

static float to[N][N], from[N][N];

static void print(int wrong, const char *end) { printf("%d%s", wrong, end); }

static int wrong(void)
{
  int found = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      found += to[i][j] != (float)(i * 7 + j * 3 + 1);
      to[i][j] = 0;
    }
  return found;
}

int main(void)
{
  struct plane a = {N, to[0]}, b = {N, from[0]};
  struct untyped c = {N, to}, d = {N, from};
  struct point p[N], q[N];
  int bad = 0;

  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      from[i][j] = (float)(i * 7 + j * 3);
  for (int k = 0; k < N; k++)
    q[k] = (struct point){(float)k, (float)(2 * k)};
  by_accessors(&a, &b);
  print(wrong(), " ");
  in_the_middle(N, to[0], from[0]);
  print(wrong(), " ");
  memset(p, 0, sizeof p);
  of_points(N, p, q);
  for (int k = 0; k < N; k++)
    bad += p[k].x != q[k].x + 1 || p[k].y != q[k].y + 1;
  print(bad, " ");
  up_to_its_end(N * N, to[0], from[0]);
  print(wrong(), " ");
  down_to_its_start(N * N, to[0], from[0]);
  print(wrong(), " ");
  flat(to, from);
  print(wrong(), " ");
  as_rows(N, to[0], from[0]);
  print(wrong(), " ");
  rows_of_its_own(N, to[0], from[0]);
  print(wrong(), " ");
  without_a_type(N * N, to, from);
  print(wrong(), " ");
  behind_a_member(&c, &d);
  print(wrong(), "\n");
  while_it_counts(N * N, to[0], from[0]);
  print(wrong(), " ");
  while_pointers_walk(N * N, to[0], from[0]);
  print(wrong(), " ");
  while_some_are_left(N * N, to[0], from[0]);
  print(wrong(), " ");
  while_rows_last(to[0], from[0]);
  print(wrong(), " ");
  from_where_it_was(N * N, to[0], from[0]);
  print(wrong(), "\n");
  by_bits(to[0], from[0]);
  print(wrong(), " ");
  by_a_size(N / 3, to[0], from[0]);
  for (int k = N / 3 * (N / 3) * 3; k < N * N; k++)
    to[k / N][k % N] = from[k / N][k % N] + 1;
  print(wrong(), " ");
  unsigned_downwards(N * N, to[0], from[0]);
  print(wrong(), " ");
  in_bytes(to[0], from[0]);
  print(wrong(), " ");
  around_the_end(N * N, 0U - 1, to[0], from[0]);
  print(wrong(), "\n");
  return 0;
}
