// Pointers made of restrict ones lead to the same memory: C promises nothing of these. Others are told apart as before.
// prints: beside it 3796
// prints: further on 14205
// prints: by way of a struct 4723
// prints: by way of a function 4723
// prints: by way of a table 4723
// prints: by way of a cast 4723
// prints: swapped 12157
// prints: never made of it 4268
// prints: inside 3995
// launches: 2
#include <stdint.h>
#include <stdio.h>

enum { N = 20 };

static int start(int *p, int add)
{
  for (int i = 0; i < 2 * N; i++)
    p[i] = i % 7 + add;
  return 0;
}

static int sum(const int *p)
{
  int s = 0;
  for (int i = 0; i < 2 * N; i++)
    s += p[i] * (i + 1);
  return s;
}

static void beside(int n, const int *restrict x, int *restrict y)
{
  int *q = y + 3, s = 3;
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    q[i] = x[i] + s;
    s = y[3];
  }
}

static void further(int n, int *restrict y)
{
  int *p;
  int *q;
  p = y;
  p++;
  q = &(p[1]);
#pragma acc kernels
  for (int i = 0; i < n; i++)
    q[i] = y[i] + i;
}

struct held {
  int *values;
};

static void by_struct(int n, int *restrict y, struct held *h)
{
  h->values = y + 1;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    h->values[i] = y[i] + 1;
}

static int *kept;

static void keep(int *p)
{
  kept = p + 1;
}

static void by_function(int n, int *restrict y)
{
  keep(y);
#pragma acc kernels
  for (int i = 0; i < n; i++)
    kept[i] = y[i] + 1;
}

static void by_table(int n, int *restrict y)
{
  int *rows[2] = { 0, y };
  int *row = rows[1] + 1;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    row[i] = y[i] + 1;
}

static void by_cast(int n, int *restrict y)
{
  uintptr_t place = (uintptr_t)y + sizeof *y;
  int *q = (int *)place;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    q[i] = y[i] + 1;
}

static void swapped(int n, int *restrict y, int *z)
{
  int *t = z;
  z = y;
#pragma acc kernels
  for (int i = 1; i < n; i++) {
    z[i] = y[i - 1] + t[i];
  }
}

static void apart(int n, const int *x, int *restrict y)
{
  const int *z = x + n;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    y[i] = z[i] * 2 + x[i];
}

static void inside(int n, const int *restrict x, int *restrict y)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    int *q = y + i;
    const int *p = x + i;
    *q = p[1] + y[i] * 2;
  }
}

int main(void)
{
  int x[2 * N], y[2 * N];
  struct held h;
  start(x, 1), start(y, 0), beside(N, x, y), printf("beside it %d\n", sum(y));
  start(y, 0), further(N, y), printf("further on %d\n", sum(y));
  start(y, 0), by_struct(N, y, &h), printf("by way of a struct %d\n", sum(y));
  start(y, 0), by_function(N, y), printf("by way of a function %d\n", sum(y));
  start(y, 0), by_table(N, y), printf("by way of a table %d\n", sum(y));
  start(y, 0), by_cast(N, y), printf("by way of a cast %d\n", sum(y));
  start(y, 0), swapped(N, y, x), printf("swapped %d\n", sum(y));
  start(y, 0), apart(N, x, y), printf("never made of it %d\n", sum(y));
  start(y, 0), inside(N, x, y), printf("inside %d\n", sum(y));
  return 0;
}
