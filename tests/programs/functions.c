// Functions with pointers, switch, effects inside expressions, pointers that move: all this kept regions on the host.
// prints: ok
// launches: 14
#include <stdio.h>

#define N 300

typedef struct {
  float at[3], mass;
  int kind;
} body;

static int calls_total = 2;
static const int weight[4] = {3, 1, 4, 1};

static int rng(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (int)(*state >> 24);
}

#pragma acc routine seq
static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void push(body *b, const float by[3])
{
  if (b->mass <= 0)
    return;
  for (int d = 0; d < 3; d++)
    b->at[d] += by[d] / b->mass;
  b->kind = b->kind * 2 + weight[b->kind & 3];
}

static int find(const int *in, int count, int x)
{
  for (int i = 0; i < count; i++)
    if (in[i] == x)
      return i;
  return calls_total - count;
}

static body moved(body from, float by)
{
  from.at[0] += by;
  return from;
}

static void scale_row(int n, double a[n], double by)
{
  for (int i = 0; i < n; i++)
    a[i] *= by;
}

/* a list, what it leaves out, and an object without a name */
#define LISTS(all)                                                                                                     \
  body b = {{(float)i, 2}, 4, i & 3};                                                                                  \
  int many[12] = {i, 7};                                                                                               \
  push(&b, (const float[3]){1, many[0], 3});                                                                           \
  b.kind += many[i % 12];                                                                                              \
  all[i] = i % 2 ? b : (body){{1, 2, 3}, 4, many[1]};

/* the same for the device and for the host, which checks */
#define PICK                                                                                                           \
  unsigned state = (unsigned)i;                                                                                        \
  int first = rng(&state);                                                                                             \
  a[i] = first + 2 * rng(&state);

#define CLASSES                                                                                                        \
  int k = 0;                                                                                                           \
  switch (a[i] % 7) {                                                                                                  \
  case 0: a[i] = 1; break;                                                                                             \
  case 1: k = 4; /* fall through */                                                                                    \
  case 2: case 3: k += 2; if (i & 1) break; a[i] += k; break;                                                          \
  case 4: if (i > 100) continue; k = 9; break;                                                                         \
  default: k = -1;                                                                                                     \
  }                                                                                                                    \
  a[i] += k;

#define ORDER                                                                                                          \
  int t, u = i;                                                                                                        \
  if ((t = a[i] % 10) > 4 && u++ > 3)                                                                                  \
    u += t;                                                                                                            \
  a[i] = (u += 2, u * 2) + (t ? t-- : --t);

#define WALK                                                                                                           \
  const double *p = &x[3 * i];                                                                                         \
  double *to = y + i;                                                                                                  \
  *to = 0;                                                                                                             \
  for (int d = 0; d < 3; d++)                                                                                          \
    *to += *p++;

#define PACK(m)                                                                                                        \
  int count = 0;                                                                                                       \
  for (int j = 0; j < N; j++)                                                                                          \
    if (m[i][j] > 40)                                                                                                  \
      m[i][count++] = m[i][j];                                                                                         \
  while (count < N)                                                                                                    \
    m[i][count++] = -1;

static int a[N], a_host[N];
static double x[3 * N + 3], y[N], y_host[N], m[8][N], m_host[8][N];
static body all[N], all_host[N];

static int wrong;

static void check(const char *what, const void *one, const void *two, size_t size)
{
  const unsigned char *p = one, *q = two;
  for (size_t i = 0; i < size; i++)
    if (p[i] != q[i]) {
      printf("%s differs at byte %d\n", what, (int)i);
      wrong++;
      return;
    }
}

static void device(void)
{
  const float by[3] = {1, 2, -4};
#pragma acc parallel loop
  for (int i = 0; i < N; i++) { PICK }
#pragma acc parallel loop
  for (int i = 0; i < N; i++) { CLASSES }
#pragma acc parallel loop
  for (int i = 0; i < N; i++) { ORDER }
#pragma acc parallel loop
  for (int i = 0; i < N; i++) { WALK }
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    y[i] += dot3(x + 3 * i, &x[3]);
#pragma acc parallel loop copy(all[0:N])
  for (int i = 0; i < N; i++) {
    push(&all[i], by);
    all[i] = moved(all[i], 0.5f);
  }
#pragma acc parallel loop
  for (int i = N / 2; i < N; i++) { LISTS(all) }
#pragma acc parallel loop copyin(a[0:N])
  for (int i = 0; i < N; i++)
    y[i] += find(a, 50, i);
#pragma acc kernels
  for (int i = 0; i < 8; i++)
    scale_row(N, m[i], i);
#pragma acc parallel loop
  for (int i = 0; i < 8; i++) { PACK(m) }
  double least = 1e30, sum = 0;
#pragma acc parallel loop reduction(min : least)
  for (int i = 0; i < N; i++) {
    double d = dot3(&x[3 * i], x);
    if (d < least)
      least = d;
  }
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < N; i++)
    sum += dot3(&x[3 * i], &x[3 * i]);
  y[0] = least;
  y[1] = sum;
}

static void host(void)
{
  const float by[3] = {1, 2, -4};
  int *a = a_host;
  double *y = y_host;
  for (int i = 0; i < N; i++) { PICK }
  for (int i = 0; i < N; i++) { CLASSES }
  for (int i = 0; i < N; i++) { ORDER }
  for (int i = 0; i < N; i++) { WALK }
  for (int i = 0; i < N; i++)
    y[i] += dot3(x + 3 * i, &x[3]);
  for (int i = 0; i < N; i++) {
    push(&all_host[i], by);
    all_host[i] = moved(all_host[i], 0.5f);
  }
  for (int i = N / 2; i < N; i++) { LISTS(all_host) }
  for (int i = 0; i < N; i++)
    y[i] += find(a, 50, i);
  for (int i = 0; i < 8; i++)
    scale_row(N, m_host[i], i);
  for (int i = 0; i < 8; i++) { PACK(m_host) }
  double least = 1e30, sum = 0;
  for (int i = 0; i < N; i++) {
    double d = dot3(&x[3 * i], x);
    if (d < least)
      least = d;
    sum += dot3(&x[3 * i], &x[3 * i]);
  }
  y[0] = least;
  y[1] = sum;
}

int main(void)
{
  for (int i = 0; i < 3 * N + 3; i++)
    x[i] = i % 17 - 8;
  for (int i = 0; i < N; i++) {
    all[i] = all_host[i] = (body){{i, 0, -i}, (float)(i % 3), i % 5};
    for (int j = 0; j < 8; j++)
      m[j][i] = m_host[j][i] = i + j;
  }
  device();
  host();
  check("a", a, a_host, sizeof a);
  check("y", y, y_host, sizeof y);
  check("all", all, all_host, sizeof all);
  check("m", m, m_host, sizeof m);
  printf(wrong ? "wrong\n" : "ok\n");
  return 0;
}
