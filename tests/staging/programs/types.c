/* Elements of all types in tiles, by vectors and one by one; structs, pointers into arrays, and pieces of arrays. */
#include "../../middle/programs/middle.h"

#define N 68

/* rows of m elements: vectors where m is a multiple of their length */
#define TYPE(T, NAME) \
  static void NAME##_in(int n, int m, T a[n][m], T b[m][n], T c[n][n], T v[m]) \
  { \
    _Pragma("acc kernels") \
    { \
      for (int i = 0; i < n; i++) \
        for (int j = 0; j < n; j++) { \
          T sum = 0; \
          for (int k = 0; k < m; k++) \
            sum += a[i][k] * b[k][j] - v[k]; \
          c[i][j] = sum; \
        } \
      for (int i = 0; i < n; i++) \
        for (int k = 1; k < m; k++) \
          a[i][k] += a[i][k - 1] / 2; \
      for (int i = 1; i < m; i++) \
        for (int j = 1; j < n - 1; j++) \
          b[i][j] = c[j][i % 2] + a[j - 1][i] + (a[j + 1][i - 1] > v[i] ? 1 : 3); \
    } \
  } \
  static unsigned long NAME(int n, int m) \
  { \
    static T a[N * N], b[N * N], c[N * N], v[N]; \
    FILL(a); \
    FILL(b); \
    FILL(c); \
    FILL(v); \
    NAME##_in(n, m, (void *)a, (void *)b, (void *)c, v); \
    return DIGEST(a) ^ DIGEST(b) * 3 ^ DIGEST(c) * 5; \
  }

TYPE(float, of_float)
TYPE(double, of_double)
TYPE(char, of_char)
TYPE(unsigned char, of_unsigned_char)
TYPE(short, of_short)
TYPE(unsigned short, of_unsigned_short)
TYPE(unsigned, of_unsigned)
TYPE(long, of_long)
TYPE(unsigned long long, of_unsigned_long_long)

static unsigned long of_bool(int n, int m)
{
  static _Bool a[N][N], b[N][N], c[N][N];
  FILL2(a);
  FILL2(b);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = noise(i * N + j) > 3;
      b[i][j] = noise(i + j) > 0;
      c[i][j] = i == j;
    }
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int count = 0;
      for (int k = 0; k < m; k++)
        count += a[i][k] && b[k][j];
      c[i][j] = count / 4;
    }
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int k = 1; k < m; k++)
      a[i][k] = a[i][k] != a[i][k - 1];
  return DIGEST(a) ^ DIGEST(c) * 3;
}

struct body {
  float x, y;
  int mass[3];
};

/* members of structs stay in global memory, other arrays of the kernel need not */
static unsigned long structs(int n, int m)
{
  static struct body s[N];
  static float force[N], scale[N][N];
  for (int i = 0; i < N; i++)
    s[i] = (struct body){noise(i), noise(i + 3), {i, 2 * i, 3}};
  FILL2(scale);
  FILL(force);
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int k = 0; k < m; k++)
        force[i] += (s[i].x - s[k].x) * s[k].mass[1] * scale[i][k];
    for (int i = 0; i < n; i++)
      s[i].y += force[i] + scale[i][0];
  }
  return DIGEST(force) ^ digest(3, s, sizeof s);
}

/* the same function with pointers that may overlap: sure only when it runs */
static unsigned long pointers(int n, const int *p, const int *q, int *r)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int k = 0; k < n; k++)
        sum += p[i * n + k] * q[k * n + j];
      r[i * n + j] = sum;
    }
  return digest(0, r, sizeof(int) * n * n);
}

/* tiles filled from addresses that are aligned to nothing but an element */
static unsigned long offset(int n, const float *p, float *restrict r)
{
#pragma acc kernels loop copyin(p[0:n * n]) copy(r[0:n * n])
#pragma acc share(p[TB_Y][*])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        r[i * n + j] += p[i * n + k] * p[k * n + j];
  return digest(0, r, sizeof(float) * n * n);
}

int main(void)
{
  static int heap[3][64 * 64];
  static float some[64 * 64 + 9], sums[64 * 64 + 9];
  FILL2(heap);
  FILL(some);
  FILL(sums);
  DEVICE(of_float(64, 66));
  DEVICE(of_float(36, 44));
  DEVICE(of_float(37, 45));
  DEVICE(of_double(64, 66));
  DEVICE(of_char(64, 48));
  DEVICE(of_unsigned_char(33, 41));
  DEVICE(of_short(64, 60));
  DEVICE(of_unsigned_short(64, 66));
  DEVICE(of_unsigned(32, 68));
  DEVICE(of_long(64, 66));
  DEVICE(of_unsigned_long_long(64, 66));
  DEVICE(of_bool(64, 66));
  DEVICE(of_bool(2, 3));
  DEVICE(structs(N, N));
  DEVICE(structs(3, 1));
  DEVICE(pointers(64, heap[0], heap[1], heap[2]));
  DEVICE(pointers(64, heap[0], heap[0], heap[2]));
  HOST(pointers(64, heap[0], heap[2], heap[2]));
  HOST(pointers(63, heap[0], heap[2], heap[0] + 63 * 63 - 1));
  DEVICE(pointers(63, heap[0], heap[2], heap[0] + 63 * 63));
  for (int k = 0; k < 3; k++)
    DEVICE(offset(64, some + k, sums + 2 * k));
  DEVICE(offset(62, some + 1, sums));
  return 0;
}
