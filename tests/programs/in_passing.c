// Pointers that are set inside of conditions and in chains, arrays as parameters that pointers are made of, what macros
// leave of arguments, counts of leading zeros.
// prints: offsets 22.0 20.0 76.0
// prints: ignored 61
// prints: leading zeros 100 4431
// prints: a chain 630.0
// prints: conditions 96.0 190.0 90.0 100.0
// prints: used before 36.0
// prints: of a copy 56.0
// prints: set meanwhile 16.0
// prints: halves 100
// prints: only sometimes 187.0
// launches: 12
#include <stdio.h>

enum { N = 20 };
typedef struct {
  int number;
  double v;
} block;

static block blocks[N];
static double t[2 * N], out[N];
static int rows[N][5], numbers[N];

static double sum(void)
{
  double s = 0;
  for (int i = 0; i < N; i++)
    s += out[i];
  return s;
}

static double offsets(int n, int l, const double x[], double y[])
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    const double *p = x + i * l;
    y[i] = p[0] + *(x + 1);
  }
  return y[1] + y[n - 1];
}

static double other_order(int n, const double x[], double y[])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    y[i] = *(i + x) + *(1 + x);
  return y[n - 1];
}

static double of_rows(int n, int c[][5])
{
#pragma acc kernels
  for (int k = 0; k < n; k++)
    for (int j = 0; j < 5; j++)
      (*(c + k))[j] = *(*(c + k) + j) + k;
  return c[n - 1][4] + c[n - 1][0];
}

static inline int twice(int x) { return 2 * x; }
#define TWICE(x, arch) ((void)(arch), twice(x))

static int ignored(int n, int arch, int a[])
{
#pragma acc kernels
  for (int k = 0; k < n; k++)
    a[k] = TWICE(k, arch) + ((void)&a[k], (void)0, 1);
  return a[n - 1] + a[n / 2] + a[0];
}

static void leading_zeros(int n, const unsigned *restrict a, int *restrict b, const unsigned long long *restrict c,
                          int *restrict d)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    b[i] = __builtin_clz(a[i]);
    d[i] = __builtin_clzll(c[i]);
  }
}

static double chain(int n, int m, const double *restrict x, double *restrict y)
{
  const double *one, *two, *three;
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    one = two = (three = x + i);
    y[i] = one[0] + two[m] + three[1];
  }
  return sum();
}

static double in_conditions(int n, int how, const block *restrict b, double *restrict y)
{
  const block *p;
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    if (how == 0) {
      if ((p = &b[i])->number >= 5 && p->v < 18)
        y[i] = p->v;
      else
        y[i] = -p->number;
    } else if (how == 1) {
      if ((p = b + i) && p->number)
        y[i] = 1;
      y[i] *= p->v;
    } else if ((p = &b[n - 1 - i])->number % 2 == how - 2)
      y[i] = p->v;
  }
  return sum();
}

static double used_before(int n, const block *restrict b, double *restrict y)
{
  const block *p = b;
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    y[i] = p->v;
    if ((p = &b[i])->number >= 10)
      y[i] = 0;
  }
  return sum();
}

static double only_sometimes(int n, const block *restrict b, double *restrict y)
{
  const block *p = b;
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    y[i] = i;
    if (b[i].number > 2 && (p = &b[i])->number < 10)
      y[i] = p->v;
    else
      y[i] = p->number;
  }
  return sum();
}

// whose members nobody else can change
typedef struct {
  int *number;
  double *out;
} data;

static void add(double *to, const int *from)
{
  for (int k = 0; k < 5; k++)
    to[k] += from[k];
}

static double of_a_copy(int n, data all)
{
  double sum = 0;
#pragma acc kernels loop reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    int *number = all.number;
    double own[5] = {0};
    add(own, number);
    sum += own[i % 5];
  }
  return sum;
}

static double set_meanwhile(int n, data all, int *other)
{
  double sum = 0;
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    int *number = all.number;
    if (i == 3)
      all.number = other;
    sum += number[i];
  }
  return sum;
}

static inline int half(int x) { return __builtin_constant_p(x) ? x / 2 : x >> 1; }

static void halves(int n, const int *restrict a, int *restrict b)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    b[i] = half(a[i] & 255) + __builtin_constant_p(3);
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    blocks[i].number = i, blocks[i].v = i + 0.0;
    rows[i][0] = rows[i][4] = i;
  }
  for (int i = 0; i < 2 * N; i++)
    t[i] = i;
  double first = offsets(N, 1, t, out), second = other_order(N, t, out);
  printf("offsets %.1f %.1f %.1f\n", first, second, of_rows(N, rows));
  printf("ignored %d\n", ignored(N, 3, numbers));
  static unsigned a[100];
  static unsigned long long c[100];
  static int b[100], d[100];
  unsigned right = 0, high = 0;
  for (unsigned i = 0; i < 100; i++)
    a[i] = (i * 2654435761u | 1u) >> i % 32, a[i] += !a[i], c[i] = (i * 0x9E3779B97F4A7C15ull | 1) >> i % 64, c[i] += !c[i];
  leading_zeros(100, a, b, c, d);
  for (unsigned i = 0; i < 100; i++) {
    unsigned one = 0, two = 0;
    while (!(a[i] >> (31 - one)))
      one++;
    while (!(c[i] >> (63 - two)))
      two++;
    right += (unsigned)b[i] == one && (unsigned)d[i] == two;
    high += one + two;
  }
  printf("leading zeros %u %u\n", right, high);
  printf("a chain %.1f\n", chain(N, 2, t, out));
  double each[4];
  for (int how = 0; how < 4; how++)
    each[how] = in_conditions(N, how, blocks, out);
  printf("conditions %.1f %.1f %.1f %.1f\n", each[0], each[1], each[2], each[3]);
  printf("used before %.1f\n", used_before(N, blocks, out));
  printf("of a copy %.1f\n", of_a_copy(N, (data){rows[2], out}));
  printf("set meanwhile %.1f\n", set_meanwhile(5, (data){rows[2], out}, rows[3]));
  halves(100, b, d);
  for (unsigned i = right = 0; i < 100; i++)
    right += d[i] == (b[i] & 255) / 2 + 1;
  printf("halves %u\n", right);
  printf("only sometimes %.1f\n", only_sometimes(N, blocks, out));
  return 0;
}
