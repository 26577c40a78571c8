/* atomic: everything here gives the same whatever the order in which it is done. */
#include "middle.h"

#define N 300
struct cell { int n; short s; signed char c; float f; double d; };
static int a[N], b[N], bins[16];
static struct cell cells[7];

static unsigned long done(void)
{
  unsigned long h = DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(bins) * 5;
  for (int i = 0; i < 7; i++)
    h = h * 31 + cells[i].n + 3 * cells[i].s + 5 * cells[i].c + (long)(cells[i].f * 7 + cells[i].d * 11);
  FILL(a); FILL(b); FILL(bins);
  return h;
}

static unsigned long histogram(int n, const int *restrict from, int *restrict to)
{
#pragma acc parallel loop copyin(from[0:n]) copy(to[0:16])
  for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic
    to[from[i] & 15]++;
  }
#pragma acc kernels loop copyin(from[0:n]) copy(to[0:16])
  for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic update
    to[from[i] & 15] = to[from[i] & 15] - i;
  }
  return done();
}

/* every size of number, alone and in structs; sums are of whole numbers */
static unsigned long types(int n)
{
  unsigned long h = 0;
  static unsigned char narrow[9];
  static short border[5];
  static _Bool odd[3];
  static long wide[6];
  static float some[4];
  static double more[4];
#pragma acc parallel loop
  for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic
    cells[i % 7].n += a[i];
#pragma acc atomic
    cells[i % 7].s -= a[i];
#pragma acc atomic
    cells[i % 7].c ^= a[i];
#pragma acc atomic
    cells[i % 7].f += a[i];
#pragma acc atomic
    cells[i % 7].d = a[i] + cells[i % 7].d;
  }
#pragma acc parallel loop copy(narrow[1:7])
  for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic
    narrow[1 + i % 7] += i;
#pragma acc atomic
    border[i % 5] += a[i];
#pragma acc atomic
    odd[i % 3] |= a[i] == 7;
#pragma acc atomic
    wide[i % 3] += (long)a[i] * 0x200000001;
#pragma acc atomic
    wide[3 + i % 3] ^= 0x100000000L << (i & 7);
#pragma acc atomic
    some[i % 4]++;
#pragma acc atomic
    more[i % 4] -= a[i];
  }
  h = DIGEST(narrow) ^ DIGEST(border) * 3 ^ DIGEST(odd) * 5 ^ DIGEST(wide) * 7 ^ DIGEST(some) * 9 ^ DIGEST(more) * 11;
  return h + done();
}

/* every form of an update; each element is changed once */
static unsigned long forms(int n)
{
  static int x[25][N];
  static unsigned char y[6][N];
  static double z[4][N];
  FILL2(x); FILL2(y); FILL2(z);
  for (int i = 0; i < N; i++) {
    x[10][i] |= 1;
    x[14][i] &= 7;
  }
#pragma acc parallel loop
  for (int i = 0; i < n; i++) { // grid x
    const int e = (a[i] & 3) + 1;
#pragma acc atomic
    x[0][i]++;
#pragma acc atomic
    --x[1][i];
#pragma acc atomic
    x[2][i] *= a[i] + 1;
#pragma acc atomic
    x[3][i] /= e;
#pragma acc atomic
    x[4][i] &= a[i];
#pragma acc atomic
    x[5][i] |= a[i];
#pragma acc atomic
    x[6][i] >>= e;
#pragma acc atomic
    x[7][i] = x[7][i] - a[i];
#pragma acc atomic
    x[8][i] = a[i] - x[8][i];
#pragma acc atomic
    x[9][i] = x[9][i] / e;
#pragma acc atomic
    x[10][i] = 1000 / (x[10][i]);
#pragma acc atomic
    x[11][i] = a[i] * x[11][i];
#pragma acc atomic
    x[12][i] += 0.75 * a[i];
#pragma acc atomic
    x[13][i] -= 1L << 40;
#pragma acc atomic
    x[14][i] = e << (x[14][i]);
#pragma acc atomic
    y[0][i] = y[0][i] >> e;
#pragma acc atomic
    y[1][i] = 5 - y[1][i];
#pragma acc atomic
    y[2][i] *= 1.5f;
#pragma acc atomic
    z[0][i] = 3 - z[0][i];
#pragma acc atomic
    z[1][i] /= e;
  }
#pragma acc parallel loop
  for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic capture
    x[15][i] = a[i]++;
#pragma acc atomic capture
    x[16][i] = --a[i];
#pragma acc atomic capture
    x[17][i] = b[i] += 3;
#pragma acc atomic capture
    z[2][i] = x[18][i] = 7 - x[18][i];
#pragma acc atomic capture
    { x[19][i] = b[i]; b[i] *= 2; }
#pragma acc atomic capture
    { b[i] = 9 - b[i]; x[20][i] = b[i]; }
#pragma acc atomic capture
    { y[3][i] = b[i]; b[i] = a[i]; }
#pragma acc atomic capture
    { x[21][i] = y[4][i]; y[4][i]--; }
#pragma acc atomic read
    x[22][i] = b[i];
#pragma acc atomic write
    x[23][i] = a[i] * 2;
#pragma acc atomic write
    y[5][i] = a[i];
#pragma acc atomic write
    z[3][i] = a[i];
#pragma acc atomic read
    x[24][i] = y[5][i];
  }
  return done() + DIGEST(x) + 3 * DIGEST(y) + 5 * DIGEST(z);
}

/* places that are taken one by one: each is somebody's */
static unsigned long places(int n)
{
  static int taken[2 * N];
  int count = 0, last = -1;
  for (int i = 0; i < N; i++)
    taken[i] = 0;
#pragma acc parallel loop copy(count, taken)
  for (int i = 0; i < n; i++) { // grid x
    if (a[i] > 0) {
      int at;
#pragma acc atomic capture
      at = count++;
      taken[at] += a[i] > 0;
    }
#pragma acc atomic write
    last = 5;
  }
  unsigned char few = 0;
#pragma acc parallel loop copy(count, few, taken)
  for (int i = 0; i < n; i++) { // grid x
    int at;
#pragma acc atomic capture
    at = --count;
    if (at >= 0)
      taken[at + 1]++;
    if (a[i] > 0) {
      int other;
#pragma acc atomic capture
      other = few++;
      taken[N + other] += 2; // ACC311
    }
  }
  return done() + DIGEST(taken) + count + last;
}

/* kernels: the order is free where the operations commute, and nobody looks at what is there in between */
static unsigned long proved(int n)
{
  int sum = 0;
  double whole = 0;
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic
    sum += a[i];
#pragma acc atomic
    whole -= a[i];
#pragma acc atomic
    bins[i % 16] += i;
#pragma acc atomic
    bins[i % 16] -= a[i];
  }
  return done() + sum + DIGEST(whole);
}

static unsigned long in_order(int n)
{
  int sum = 0;
#pragma acc kernels // ACC401
  for (int i = 0; i < n; i++)
#pragma acc atomic capture
    b[i] = sum++;
#pragma acc kernels // ACC401
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    bins[i % 5] += a[i];
#pragma acc atomic
    bins[i % 5] *= 3;
  }
  return done() + sum;
}

/* what comes before and after, and what is a work-item's own */
static unsigned long around(int n)
{
#pragma acc parallel
  {
    int all = 0;
#pragma acc loop
    for (int i = 0; i < n; i++) { // grid x
      int own = 2;
#pragma acc atomic
      own += a[i];
#pragma acc atomic
      all += own;
      int k = i;
#pragma acc atomic capture
      own = a[k++]++;
    }
#pragma acc loop
    for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic read
      b[i] = all;
#pragma acc atomic
      a[i]++;
      b[i] += a[i];
      for (int k = 0; k < 3; k++) { // work-item ACC302
        a[i] += k;
#pragma acc atomic
        a[i] *= 3;
      }
    }
  }
  return done();
}

/* time steps keep their order */
static unsigned long steps(int n)
{
#pragma acc parallel
#pragma acc loop seq
  for (int t = 0; t < 4; t++) // host ACC308
#pragma acc loop
    for (int i = 0; i < n; i++) { // grid x
#pragma acc atomic write
      bins[i % 16] = t;
    }
  return done();
}

static unsigned long refused(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    a[i] = b[i]; // ACC110
  }
  return done();
}

int main(void)
{
  done();
  DEVICE(histogram(N, a, bins));
  DEVICE(types(N));
  DEVICE(types(299));
  DEVICE(forms(N));
  EMPTY(forms(0));
  DEVICE(places(N));
  DEVICE(proved(N));
  HOST(in_order(N));
  DEVICE(around(N));
  DEVICE(steps(N));
  HOST(refused(N));
  return 0;
}
