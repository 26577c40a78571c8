// A called function that returns from inside of a loop, a variable that is written under a condition and read under the
// same one, an array of structs of each iteration's own that several kernels know.
// prints: returned 942 2
// prints: under a condition 2475
// prints: structs 0.5469 -1.1719
// launches: 22
#include <stdio.h>

enum { N = 100 };
typedef struct {
  double r, i;
} number;
typedef struct {
  number a, t;
  short l;
} pole;

static int pick(double roll, const double *parts)
{
  for (int i = 0; i < 3; i++) {
    double running = 0;
    for (int j = i; j > 0; j--)
      running += parts[j];
    if (roll < running)
      return i;
  }
  return 7;
}

static void returned(int n, const double *restrict p, int *restrict m)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    double parts[3] = {0.1, 0.25, 0.5};
    m[i] = pick(p[i], parts);
  }
}

static void under_a_condition(int n, const double *restrict p, int *restrict m)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    int mine;
    if (p[i] > 0.4)
      mine = i;
    m[i] = 0;
    if (p[i] > 0.5)
      m[i] = mine;
  }
}

static number times(number a, number b)
{
  number c = {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
  return c;
}

static void factors(int one, double e, const double *k, number *f)
{
  double phi;
  for (int i = 0; i < 4; i++) {
    phi = k[one * 4 + i] * e;
    if (i == 1)
      phi -= 1.5 * phi;
    f[i].r = phi, f[i].i = -phi;
  }
}

static void of_one(double *x, int one, double e, const double *k, const pole *poles, int n)
{
  double s = 0, u = 0;
  number f[4];
  factors(one, e, k, f);
  for (int i = 0; i < n; i++) {
    pole p = poles[one * n + i];
    number by = {e, 0}, product = times(p.t, times(by, f[p.l]));
    s += product.r, u += product.i;
  }
  x[0] = s, x[1] = u;
}

static void structs(double *xs, int n, const int *numbers, double e, const double *k, const pole *poles, int each)
{
#pragma acc kernels copyin(k[0:20], poles[0:15])
  for (int i = 0; i < n; i++) {
    double m[2];
    of_one(m, numbers[i], e, k, poles, each);
    for (int j = 0; j < 2; j++)
      xs[j] += m[j];
  }
}

int main(void)
{
  static double p[N], k[20], xs[2];
  static int m[N], numbers[] = {3, 0, 4, 1, 3};
  static pole poles[15];
  int sum = 0;
  for (int i = 0; i < N; i++)
    p[i] = i * 37 % N / 100.0;
  returned(N, p, m);
  for (int i = 0; i < N; i++)
    sum += m[i] * (i % 7);
  printf("returned %d %d\n", sum, m[9]);
  under_a_condition(N, p, m);
  sum = 0;
  for (int i = 0; i < N; i++)
    sum += m[i];
  printf("under a condition %d\n", sum);
  for (int i = 0; i < 20; i++)
    k[i] = i % 5 * 0.25;
  for (int i = 0; i < 15; i++)
    poles[i].t.r = i % 4 * 0.5, poles[i].t.i = 1 - i % 3, poles[i].l = i % 4;
  structs(xs, 5, numbers, 0.5, k, poles, 3);
  printf("structs %.4f %.4f\n", xs[0], xs[1]);
  return 0;
}
