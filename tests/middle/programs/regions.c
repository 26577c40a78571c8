/* Regions of several kernels, and where regions can stand. */
#include "middle.h"
#include "region_in_header.h"

#define N 66
static float a[N], b[N], c[N], m[N][N], w[N][N];
static int u[N], v[N];

static unsigned long done(void)
{
  unsigned long h = DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(c) * 5 ^ DIGEST(m) * 7 ^ DIGEST(w) * 9 ^ DIGEST(u) ^ DIGEST(v) * 11;
  FILL(a); FILL(b); FILL(c); FILL2(m); FILL2(w); FILL(u); FILL(v);
  return h;
}

static unsigned long chain(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) a[i] = b[i] + 1; // grid x
    a[3] = 7;
    for (int i = 0; i < n; i++) b[i] = a[n - 1 - i] * 2; // grid x
    for (int i = 1; i < n - 1; i++) c[i] = b[i - 1] + b[i + 1] + a[3]; // grid x
    c[0] = c[1];
    c[n - 1] = c[n - 2] - a[0];
    for (int i = 0; i < n; i++) a[i] = c[i] - a[i]; // grid x
  }
  return done();
}

static unsigned long time_loop(int steps, int n)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) { // host ACC302
    for (int i = 1; i < n - 1; i++) // grid y
      for (int j = 1; j < n - 1; j++) // grid x
        w[i][j] = (m[i - 1][j] + m[i + 1][j] + m[i][j - 1] + m[i][j + 1]) / 4;
    for (int i = 1; i < n - 1; i++) // grid y
      for (int j = 1; j < n - 1; j++) // grid x
        m[i][j] = w[i][j];
    m[0][t % 10] += t;
  }
  return done();
}

/* host loops that count down, in steps, in triangles */
static unsigned long elimination(int n)
{
#pragma acc kernels
  for (int k = n - 1; k > 0; k -= 2) { // host ACC302
    for (int i = 0; i < k; i++) // grid x
      m[i][k] += 2 * m[k][k];
    for (int i = 0; i < k; i++) // grid y
      for (int j = k; j < n; j++) // grid x
        m[i][j] -= m[i][k] + w[k][j];
  }
  return done();
}

static unsigned long imperfect(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) { // grid x
    c[i] = 1;
    for (int j = 0; j < n; j++) // grid x
      m[i][j] += c[i];
    for (int j = 0; j < i; j++) // work-item ACC302
      c[i] += m[i][j];
    b[i] = c[i] / 2;
    if (i > 4)
      for (int j = 0; j < 3; j++) // work-item ACC302
        b[i] += w[i][j];
  }
  return done();
}

static unsigned long blocks(int n)
{
#pragma acc parallel
  {
#pragma acc loop gang
    for (int i = 0; i < n; i++) // grid x
      a[i] = b[i] - 1;
#pragma acc loop gang vector
    for (int i = 0; i < n; i++) // grid x
      c[i] = i;
  }
#pragma acc kernels
  {
#pragma acc loop independent gang
    for (int i = 0; i < n; i++) // grid y
#pragma acc loop vector
      for (int j = 0; j < n; j++) // grid x
        m[i][j] = w[j][i];
  }
#pragma acc serial // ACC401
  {
    for (int i = 1; i < n; i++)
      b[i] += b[i - 1];
  }
  return done();
}

static unsigned long branches(int n, int which)
{
  if (which)
#pragma acc parallel loop
    for (int i = 0; i < n; i++) // grid x
      a[i] = 1;
  else
#pragma acc kernels loop
    for (int i = 0; i < n; i++) // grid x
      b[i] = 2;
  for (int t = 0; t < 3; t++)
#pragma acc parallel loop if(which != t)
    for (int i = 0; i < n; i++) // grid x
      c[i] += t;
  switch (which) {
    case 0:
#pragma acc parallel loop
      for (int i = 0; i < n; i++) // grid x
        v[i] = i;
      break;
    default:
      v[0] = 9;
  }
  return done();
}

/* names that generated code might want, and OpenCL's own words */
static unsigned long names(int n, float c_sum, int i_tile, float sum_part, int kernel, int global, float get_group_id)
{
  float sum = 1;
  int count = 2, group = 4, i_at = 3, c_first = 5, i_0 = 6, floord = 7, half = 8, uint = 9;
#pragma acc kernels
  for (short i = 0; i < n; i++) { // grid x
    c[i] = i_tile + i_at + c_first + i_0 + floord + half + uint;
    for (int event = 0; event < n; event++) { // work-item ACC302
      float local = m[i][event] * c_sum;
      c[i] += local + kernel * global + get_group_id;
    }
  }
#pragma acc parallel loop reduction(+:sum, count)
  for (int i = 0; i < n; i++) { // grid x
    sum += c[i] + sum_part;
    count += group;
  }
  return done() ^ DIGEST(sum) ^ DIGEST(count);
}

struct s { int n; float *data; float first; };
static float s_data[N];

static unsigned long member_names(struct s *s, int s_n)
{
#pragma acc kernels
  for (int i = 0; i < s->n; i++) { // grid x
    s->data[i] += s->first + s_n;
    s_data[i] = s->data[i] * s->n;
  }
  return done() ^ DIGEST(s_data);
}

/* hidden names: three variables called x */
static int x = 100;
static unsigned long hidden(int n)
{
  int y = x;
  {
    int x = 20;
#pragma acc kernels
    for (int i = 0; i < n; i++) { // grid x
      u[i] = x + y;
      {
        int x = i;
        v[i] = x * 2 + y;
      }
      v[i] += x;
    }
  }
  return done();
}

int main(void)
{
  struct s s = {N, a, 2};
  done();
  DEVICE(chain(N));
  DEVICE(time_loop(6, N));
  EMPTY(time_loop(0, N));
  DEVICE(elimination(N));
  DEVICE(imperfect(N));
  DEVICE(imperfect(3));
  PARTLY(blocks(N));
  PARTLY(branches(N, 0));
  PARTLY(branches(N, 1));
  scale(N, 3, u);
  scale(N / 2, -2, v);
  DEVICE(done());
  DEVICE(names(N, 2, 3, 4, 5, 6, 7));
  DEVICE(member_names(&s, 3));
  DEVICE(hidden(N));
  return 0;
}
