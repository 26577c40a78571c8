/* Scalars: private ones, ones whose value is used afterwards, and iterators after their loops. */
#include "middle.h"

#define N 75
static int a[N], b[N], m[N][N];

static unsigned long done(void)
{
  unsigned long h = DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(m) * 5;
  FILL(a); FILL(b); FILL2(m);
  return h;
}

static unsigned long privatised(int n)
{
  int t, u, i, j;
  float f;
#pragma acc kernels
  {
    for (i = 0; i < n; i++) { // grid x
      t = a[i] * 2;
      u = t + 1;
      b[i] = t * u;
    }
    for (i = 0; i < n; i++) // grid y
      for (j = 0; j < n; j++) { // grid x
        f = m[i][j] / 2.0f;
        m[i][j] = f > 3 ? f : -1;
      }
    for (i = 0; i < n; i++) { // grid x
      t = 0;
      for (j = 0; j < n; j++) // grid x
        t += m[i][j];
      a[i] = t;
    }
  }
  return done();
}

static unsigned long by_clause(int n)
{
  int t = 5, i = 3, first = 7;
  int window[3] = {0};
#pragma acc parallel loop private(t) firstprivate(first)
  for (i = 0; i < n; i++) { // grid x
    t = a[i];
    t += first;
    b[i] = t;
  }
#pragma acc parallel loop private(window)
  for (int k = 0; k < n - 2; k++) { // grid x
    for (int q = 0; q < 3; q++) // work-item
      window[q] = a[k + q];
    b[k] = window[0] + window[2];
  }
  return done() + first;
}

/* C's value after the loops */
static unsigned long live(int n)
{
  int last = -1, i, j = 4, k, count = 0;
#pragma acc kernels
  {
    for (i = 0; i < n; i++) // grid x
      b[i] = a[i] + 1;
    for (i = 2; i < n; i++) // work-item ACC306
      last = a[i];
  }
#pragma acc kernels
  for (j = n; j > 2; j -= 3) // grid x
    a[j - 1] = j;
#pragma acc kernels
  for (k = 0; k < n; k++) // grid y
    for (j = k; j < n; j++) // grid x
      m[k][j] = k;
#pragma acc kernels
  for (int p = 0; p < n; p++) { // grid x
    count += a[p] > b[p];
    b[p] = p;
  }
  return done() ^ (last + 3ul * i + 5ul * j + 7ul * k + 11ul * count);
}

/* a value that travels from one iteration to the next */
static unsigned long carried(int n)
{
  int previous = 9, fib = 1, older = 0;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid x
      a[i] += 1;
    for (int i = 0; i < n; i++) { // work-item ACC306
      b[i] = previous;
      previous = a[i];
    }
    for (int i = 0; i < n && i < 40; i++) { // ACC306
      int next = fib + older;
      older = fib;
      fib = next;
    }
  }
  return done() + previous + fib;
}

/* computed in one kernel, used in the next, needed by nobody afterwards, or by everybody */
static unsigned long crossing(int n)
{
  int total = 3;
  float kept = 0;
#pragma acc kernels
  {
    int s = 0;
    double scale;
    for (int i = 0; i < n; i++) // grid x
      s += a[i];
    scale = s / 4;
    for (int i = 0; i < n; i++) // grid x
      b[i] = a[i] + (int)scale;
    total = total * 2 + s;
    kept = b[0] + total;
    for (int i = 0; i < n; i++) // grid x
      a[i] = total - i;
  }
  return done() + total + (int)kept;
}

/* perhaps set */
static unsigned long perhaps(int n, int limit)
{
  int found = -5, seen = 0;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid x
      b[i] = a[i] * a[i];
    for (int i = 0; i < n; i++) // work-item ACC306
      if (b[i] > limit)
        found = i;
    if (limit > 10)
      seen = 1;
  }
  return done() + found * 3ul + seen;
}

/* in a parallel construct scalars are the gang's own */
static unsigned long own(int n)
{
  int t = 4;
#pragma acc parallel loop
  for (int i = 0; i < n; i++) { // grid x
    t = a[i];
    b[i] = t + 1;
  }
  return done() + 0 * t;
}

int main(void)
{
  done();
  DEVICE(privatised(N));
  DEVICE(privatised(1));
  DEVICE(by_clause(N));
  DEVICE(live(N));
  DEVICE(live(3));
  EMPTY(live(0));
  EMPTY(live(-4));
  DEVICE(carried(N));
  EMPTY(carried(0));
  DEVICE(crossing(N));
  EMPTY(crossing(0));
  DEVICE(perhaps(N, 2400));
  DEVICE(perhaps(N, 3));
  DEVICE(own(N));
  return 0;
}
