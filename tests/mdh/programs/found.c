/* Ways to write sums and their like, which need no clause on whole numbers. */
#include "../../middle/programs/middle.h"
#include <stdbool.h>
#define N 5003
static int a[N], b[N];
static float f[N];

static unsigned long in_several_terms(int n)
{
  long one = 3, two = 4, three = -1;
  int product = 1, bits = 7;
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    one = one + a[i] - b[i];
    two = a[i] + (two + b[i]) - 3;
    three = b[i] * 2 + three;
    product = product * (a[i] | 1) * (b[i] | 1);
    bits = a[i] ^ bits ^ b[i];
  }
  return one + 3 * two + 5 * three + 7ul * product + 11ul * bits;
}

static unsigned long under_conditions(int n)
{
  int positive = 2, balance = 5, nonzero = 9, most = -70;
  long sum = 1;
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    if (f[i] > 0.5f)
      positive++;
    if (a[i] > b[i])
      balance += a[i];
    else
      balance -= b[i];
    if (a[i] != 0) {
      nonzero += 1;
    }
    if (b[i] < 20) {
      if (a[i] > 10)
        sum += a[i];
    }
    if (b[i] & 1)
      if (a[i] > most)
        most = a[i];
  }
  return positive + 3ul * balance + 5ul * nonzero + 7ul * sum + 11ul * most;
}

static unsigned long whether(int n, int limit)
{
  int all = 5, promised = 1;
  bool some = false, fine = true;
#pragma acc kernels loop reduction(||:promised)
  for (int i = 0; i < n; i++) { // grid x
    if (f[i] > limit)
      all = 0;
    if (a[i] > limit)
      some = true;
    if (b[i] > limit)
      fine = false;
    if (a[i] == limit)
      promised = 1;
  }
  return all + 10ul * some + 100ul * fine + 1000ul * promised;
}

/* 7 would become 1 only where a value is found, and nothing says that there is no 7 */
static unsigned long which(int n)
{
  int found = 7;
  float last = 1;
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    a[i] ^= 1;
  }
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    if (a[i] > 60)
      found = 1;
  }
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    if (a[i] > 0)
      last += f[i];
  }
  return found + DIGEST(last);
}

int main(void)
{
  FILL(a);
  FILL(b);
  FILL(f);
  DEVICE(in_several_terms(N));
  EMPTY(in_several_terms(0));
  DEVICE(under_conditions(N));
  DEVICE(under_conditions(3));
  DEVICE(whether(N, 49));
  DEVICE(whether(N, 51));
  DEVICE(whether(1, -51));
  PARTLY(which(N));
  return 0;
}
