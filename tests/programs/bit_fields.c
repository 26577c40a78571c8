// Structs with bit-fields and members without names, of which a region uses others: what it does not use stays.
// prints: beside 600 3
// prints: in pairs 8910.0 300
// prints: nameless 1770 180
// prints: in a union 256
// prints: whole 382
// prints: touched 60
// launches: 4
#include <stdio.h>

enum { N = 60 };
typedef struct {
  int value;
  unsigned low : 3, high : 5;
  double weight;
} mixed;
typedef struct {
  float x, y;
  unsigned kind : 4;
} point;
typedef struct {
  int number;
  struct {
    int inner, other;
  };
  union {
    int as_int;
    float as_float;
  };
} nameless;
typedef union {
  unsigned all;
  struct {
    unsigned low : 8, high : 24;
  } parts;
} word;

static mixed m[N], copied[N];
static point p[N];
static nameless k[N];
static word w[N];

static void beside(int n, mixed *a)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    a[i].weight = a[i].value * 2 + 1;
}

static void in_pairs(int n, point *restrict a)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    float x = a[i].x;
    a[i].x = a[i].y * 2;
    a[i].y = x + 1;
  }
}

static void without_names(int n, nameless *a)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    a[i].number = i;
}

static void in_a_union(int n, word *a)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    a[i].all += 256;
}

static void as_a_whole(int n, mixed *restrict a, const mixed *restrict b)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}

static void touched(int n, mixed *a)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    a[i].low = i;
}

int main(void)
{
  int sum = 0, others = 0;
  double x = 0;
  for (int i = 0; i < N; i++) {
    m[i].value = i, m[i].low = i, m[i].high = 3;
    p[i].x = i, p[i].y = 2 * i, p[i].kind = 5;
    k[i].inner = 1, k[i].as_int = 2;
    w[i].all = i;
  }
  beside(N, m);
  for (int i = 0; i < N; i++)
    sum += m[i].weight > i, others += m[i].high == 3 && m[i].low == i % 8;
  printf("beside %d %d\n", sum * 10, others / 20);
  in_pairs(N, p);
  others = 0;
  for (int i = 0; i < N; i++)
    x += p[i].x + p[i].y, others += p[i].kind;
  printf("in pairs %.1f %d\n", x, others);
  without_names(N, k);
  sum = others = 0;
  for (int i = 0; i < N; i++)
    sum += k[i].number, others += k[i].inner + k[i].as_int;
  printf("nameless %d %d\n", sum, others);
  in_a_union(N, w);
  sum = 0;
  for (int i = 0; i < N; i++)
    sum += w[i].parts.high + w[i].parts.low / 8;
  printf("in a union %d\n", sum);
  as_a_whole(N, copied, m);
  sum = 0;
  for (int i = 0; i < N; i++)
    sum += copied[i].low + copied[i].high;
  printf("whole %d\n", sum);
  touched(N, copied);
  sum = 0;
  for (int i = 0; i < N; i++)
    sum += copied[i].low == i % 8;
  printf("touched %d\n", sum);
  return 0;
}
