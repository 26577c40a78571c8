/* What is proved, disproved, and checked at run time. */
#include "middle.h"

#define N 90
static int a[N * N + 200], b[N], m[N][N], box[4][N][N];

static unsigned long done(void)
{
  unsigned long h = DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(m) * 5 ^ DIGEST(box) * 7;
  FILL(a); FILL(b); FILL2(m); FILL2(box[0]); FILL2(box[1]);
  return h;
}

static unsigned long independent(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) a[2 * i] = a[2 * i + 1]; // grid x
    for (int i = 0; i < n / 2; i++) a[i] = a[i + N / 2]; // work-item ACC302
    for (int i = 0; i < n; i++) a[i] = a[i] + a[N * N]; // grid x
    for (int i = 0; i < n; i++) { a[3 * i] = 1; a[3 * i + 1] = 2; a[3 * i + 2] = a[3 * i]; } // grid x
    for (int i = 0; i < n; i++) // grid x
      for (int j = 0; j < i; j++) // work-item ACC302
        m[i][i] += m[i][j];
    for (int i = 0; i < n; i++) // grid y
      for (int j = i + 1; j < n; j++) // grid x
        m[i][j] = m[j][i];
  }
  return done();
}

static unsigned long serial(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) b[i] = i; // grid x
    for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i]; // work-item ACC302
    for (int i = 0; i < n - 3; i++) b[i] = b[i + 3]; // work-item ACC302
    for (int i = 0; i < n; i++) b[n - 1 - i] = b[i]; // work-item ACC302
    for (int i = 0; i < n; i++) b[7] = b[i]; // work-item ACC302
  }
  return done();
}

/* the sequential loop goes to the host or the inside, the parallel one to the grid */
static unsigned long half(int n)
{
#pragma acc kernels
  {
    for (int i = 1; i < n; i++) // host ACC302
      for (int j = 0; j < n; j++) // grid x
        m[i][j] += m[i - 1][j];
    for (int i = 0; i < n; i++) // grid x
      for (int j = 1; j < n; j++) // work-item ACC302
        m[i][j] += m[i][j - 1];
    for (int i = 1; i < n; i++) // host ACC302
      for (int j = i; j-- > 0;) // grid x
        m[i][j] = m[i - 1][j + 1] * 2;
    for (int i = n - 2; i >= 0; i -= 2) // host ACC302
      for (int j = 0; j < n; j++) // grid x
        m[i][j] += m[i + 2 < n ? i + 2 : i + 1][j];
    for (int i = 1; i < n; i++) // work-item ACC302
      for (int j = 1; j < n; j++) // work-item ACC302
        m[i][j] = m[i - 1][j] + m[i][j - 1];
  }
  return done();
}

static unsigned long promised(int n)
{
#pragma acc parallel loop // ACC303
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] + 1;
#pragma acc kernels
  {
#pragma acc loop independent // ACC303
    for (int i = 0; i < n - 1; i++) // work-item ACC302
      b[i + 1] = b[i] * 3;
    for (int i = 0; i < n; i++) // grid x
      m[i][0] = i;
  }
#pragma acc parallel
  {
#pragma acc loop // ACC303
    for (int i = 1; i < n; i++) // host ACC302
#pragma acc loop
      for (int j = 0; j < n; j++) // grid x
        m[i][j] = m[i - 1][j] ^ j;
  }
  return done();
}

/* a promise about what can't be seen is believed */
static unsigned long scattered(int n)
{
  static int to[N];
  for (int k = 0; k < N; k++)
    to[k] = (k * 7) % N;
#pragma acc parallel loop copy(a)
  for (int i = 0; i < n; i++) // grid x
    a[to[i]] = i;
#pragma acc kernels copy(a)
  {
    for (int i = 0; i < n; i++) // work-item ACC302
      a[to[i]] += i;
#pragma acc loop independent
    for (int i = 0; i < n; i++) // grid x
      a[to[i]] += b[i]; // ACC311
#pragma acc loop seq
    for (int i = 0; i < n; i++) // work-item ACC308
      b[i] = i;
  }
  return done();
}

/* the distance is known only when it runs */
static unsigned long shift(int n, int k)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid x
    a[i + k + 100] = a[i + 100] + 1;
  return done();
}

static unsigned long planes(int from, int to, int n)
{
#pragma acc kernels
  for (int i = 1; i < n - 1; i++) // grid y
    for (int j = 1; j < n - 1; j++) // grid x
      box[to][i][j] = box[from][i - 1][j] + box[from][i][j + 1];
  return done();
}

static unsigned long add(int n, int *x, const int *y, int *z)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid x
    x[i] = y[i] + z[i];
  return done();
}

static unsigned long halves(int n, int *x)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid x
    x[i] = x[i + n];
  return done();
}

static unsigned long unsigned_distance(int n, unsigned from, unsigned back)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid x
    a[i] = b[from - back] + i;
  return done();
}

int main(void)
{
  done();
  DEVICE(independent(N));
  DEVICE(serial(N));
  DEVICE(half(N));
  DEVICE(half(2));
  PARTLY(promised(N));
  DEVICE(scattered(N));
  DEVICE(shift(50, 60));
  DEVICE(shift(50, 50));
  HOST(shift(50, 49));
  HOST(shift(50, 1));
  DEVICE(shift(50, 0));
  HOST(shift(50, -1));
  DEVICE(shift(50, -50));
  DEVICE(shift(1, 1));
  DEVICE(planes(0, 1, N));
  DEVICE(planes(3, 2, N));
  HOST(planes(1, 1, N));
  DEVICE(add(N, a, b, m[0]));
  DEVICE(add(50, a, a + 50, a + 100));
  HOST(add(50, a, a + 49, b));
  HOST(add(50, a + 1, a, b));
  DEVICE(add(50, a, b, b));
  HOST(add(50, a, a, b));
  DEVICE(add(1, a, a + 1, b));
  DEVICE(halves(40, a));
  DEVICE(unsigned_distance(N, 5, 3));
  return 0;
}
