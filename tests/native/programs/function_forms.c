// launches: 9
// prints: 0 apart
/* Mathematical functions as programs call them: in sums, under conditions, of the other type, by <tgmath.h>. */
#include <stdio.h>
#include <tgmath.h>

enum { N = 1003 };

static float x[N], r[N];
static double d[N], s[N];

static double own(double t)
{
  if (t <= 0)
    return 0;
  return t > 2 ? log(t) : exp(-t) + pow(t, 1.5);
}

#define SUM(i) (log(d[i] + 5) + expf(x[i]))
#define CHOSEN(i) (x[i] > 0 ? logf(x[i]) : -7.0f)
#define OTHER(i) (expf(d[i]) + sqrt(x[i] + 9) + pow(x[i] + 5, 2))
#define GENERIC(i) (exp(x[i]) + cos(d[i]) + fmax(x[i], 1.0f))
#define RARE(i) (pow(d[i], 3.0) + asinh(d[i]) + (isnan(d[i] / x[i]) ? 1 : erf(d[i])))

static double added(int n)
{
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += SUM(i);
  return sum;
}

static float greatest(int n)
{
  float most = -1;
#pragma acc parallel loop reduction(max : most)
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      most = fmaxf(most, logf(x[i]));
  return most;
}

static void forms(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    r[i] = CHOSEN(i);
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    s[i] = -1;
    if (d[i] > 0)
      s[i] = log(d[i]);
  }
}

static int apart;

static void compare(const char *name, double found, double wanted)
{
  if (!(fabs(found - wanted) <= 2e-6 * (1 + fabs(wanted))))
    printf("%s: %g, not %g\n", name, found, wanted), apart++;
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = (i * 37 % 101 - 50) / 11.0f;
    d[i] = (i * 53 % 97 - 40) / 13.0;
  }
  double sum = 0;
  float most = -1;
  for (int i = 0; i < N; i++) {
    sum += SUM(i);
    if (x[i] > 0)
      most = fmaxf(most, logf(x[i]));
  }
  compare("sum", added(N), sum);
  compare("most", greatest(N), most);
  forms(N);
  for (int i = 0; i < N; i++) {
    compare("chosen", r[i], CHOSEN(i));
    compare("conditional", s[i], d[i] > 0 ? log(d[i]) : -1);
  }
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    s[i] = OTHER(i);
  for (int i = 0; i < N; i++)
    compare("other", s[i], OTHER(i));
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    s[i] = GENERIC(i);
  for (int i = 0; i < N; i++)
    compare("generic", s[i], GENERIC(i));
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    s[i] = RARE(i) + own(d[i]);
  for (int i = 0; i < N; i++)
    compare("rare", s[i], RARE(i) + own(d[i]));
  printf("%d apart\n", apart);
  return 0;
}
