/* Kernels without loops inside, or with short ones: matrices that blocks go through across, stencils whose rows share what they
   load; all types, sizes around the lengths of vectors, and what must not be taken for either. */
#include "middle.h"

#define N 150

/* across in what is read, in what is written, in both, in none; elements beside one another from one place on */
#define ACROSS(T, NAME) \
  static void NAME##_in(int m, int n, T a[n][m], T b[m][n], T c[m][n], T d[n][m], T e[n][m], T f[m][n]) \
  { \
    _Pragma("acc kernels") \
    { \
      for (int i = 0; i < m; i++) \
        for (int j = 0; j < n; j++) \
          b[i][j] = a[j][i]; \
      for (int i = 0; i < m; i++) \
        for (int j = 0; j < n; j++) \
          d[j][i] = b[i][j] * 2 + 1; \
      for (int i = 1; i < m; i++) \
        for (int j = 1; j < n; j++) { \
          T two = a[j][i] + d[j][i - 1]; \
          c[i][j] = two - a[j - 1][i] * b[i][j - 1]; \
          e[j][i] = two + j - i; \
        } \
      for (int i = 0; i < m; i++) \
        for (int j = 0; j < n; j++) \
          f[i][j] += a[j][i]; \
    } \
  } \
  static unsigned long NAME(int m, int n) \
  { \
    static T a[N * N], b[N * N], c[N * N], d[N * N], e[N * N], f[N * N]; \
    FILL(a); \
    FILL(b); \
    FILL(c); \
    FILL(d); \
    FILL(e); \
    FILL(f); \
    NAME##_in(m, n, (void *)a, (void *)b, (void *)c, (void *)d, (void *)e, (void *)f); \
    return DIGEST(b) ^ DIGEST(c) * 3 ^ DIGEST(d) * 5 ^ DIGEST(e) * 7 ^ DIGEST(f) * 9; \
  }

ACROSS(float, across_float)
ACROSS(double, across_double)
ACROSS(signed char, across_char)

/* across, where it is not simple: narrow iterators, conditions, its own transpose, three dimensions, structs */
static unsigned long not_simple(int n)
{
  struct pair { int x, y; };
  static float a[N][N], b[N][N], c[N][N], t[N][N];
  static struct pair p[N][N];
  static double d[20][N][40], e[20][40][N];
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL2(t);
  for (int i = 0; i < 20; i++)
    FILL2(d[i]);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      p[i][j] = (struct pair){noise(i), noise(j)};
#pragma acc kernels
  {
    for (short i = 3; i < n; i++) // grid y
      for (unsigned char j = 2; j < 120; j++) // grid x
        b[i][j] = a[j][i] - i * j;
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j < n; j++) // grid x
        if (b[i][j] > 3)
          c[i][j] = a[j][i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i][j] += b[j][i] > 0 && a[j][i] > 1 ? b[j][i] : a[i][j];
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j < i; j++) // grid x
        t[i][j] = t[j][i];
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j < n; j++) // grid x
        p[i][j].y = p[i][j].y + a[j][i];
    for (int i = 0; i < 20; i++) // grid z
      for (int j = 0; j < 40; j++) // grid y
        for (int k = 0; k < n; k++) // grid x
          e[i][j][k] = d[i][k][j];
  }
  return DIGEST(b) ^ DIGEST(c) * 3 ^ DIGEST(t) * 5 ^ DIGEST(p) * 7 ^ DIGEST(e) * 9;
}

/* NAME calls NAME_in with four matrices and digests what it may have changed */
#define ON_FOUR(T, NAME) \
  static unsigned long NAME(int m, int n) \
  { \
    static T a[N * N], b[N * N], c[N * N], d[N * N]; \
    FILL(a); \
    FILL(b); \
    FILL(c); \
    FILL(d); \
    NAME##_in(m, n, (void *)a, (void *)b, (void *)c, (void *)d); \
    return DIGEST(b) ^ DIGEST(c) * 3 ^ DIGEST(d) * 5; \
  }

/* stencils of rows, with variables of an iteration, with and without what they write among what they read */
#define STENCIL(T, NAME) \
  static void NAME##_in(int m, int n, T a[m][n], T b[m][n], T c[m][n], T d[m][n]) \
  { \
    _Pragma("acc kernels") \
    { \
      for (int i = 1; i < m - 1; i++) \
        for (int j = 1; j < n - 1; j++) \
          b[i][j] = a[i][j] + a[i - 1][j] - a[i + 1][j] + a[i][j - 1] - a[i][j + 1]; \
      for (int i = 2; i < m; i++) \
        for (int j = 0; j < n; j++) { \
          T here = a[i][j], up = b[i - 1][j] - here; \
          T both = up; \
          if (up > here) \
            both = here + b[i - 2][j]; \
          c[i][j] = both > 3 ? both : here; \
          d[i][j] -= both; \
        } \
    } \
  } \
  ON_FOUR(T, NAME)

STENCIL(float, stencil_float)
STENCIL(unsigned char, stencil_unsigned_char)
STENCIL(int, stencil_int)

/* volumes, weights, filters of constants, and a triangle that is none of them */
static unsigned long volumes(int n)
{
  static const int weight[3][5] = {{1, 4, 6, 4, 1}, {4, -16, 24, 16, 4}, {1, 4, 6, 4, -3}};
  static float a[40][41][70], b[40][41][70], w[3][3];
  static unsigned char in[N][N], out[N][N];
  static int s[N][N], t[N][N];
  static double d[N][N], e[N][N];
  for (int i = 0; i < 40; i++) {
    FILL2(a[i]);
    FILL2(b[i]);
  }
  FILL2(w);
  FILL2(d);
  FILL2(e);
  FILL2(in);
  FILL2(out);
  FILL2(s);
  FILL2(t);
#pragma acc kernels
  {
    for (int i = 1; i < 39; i++) // grid z
      for (int j = 1; j < n; j++) // grid y
        for (int k = 1; k < n + 20; k++) { // grid x
          float sum = 0;
          for (int u = 0; u < 3; u++) // work-item ACC307
            for (int v = 0; v < 3; v++) // work-item ACC307
              sum += w[u][v] * (a[i + u - 1][j + v - 1][k - 1] + a[i + u - 1][j + v - 1][k + 1]);
          b[i][j][k] = sum;
        }
    for (int i = 1; i < n; i++) // grid y
      for (int j = 2; j < n + 60; j++) { // grid x
        int sum = 0;
        for (int u = 0; u < 3; u++) // work-item
          for (int v = 0; v < 5; v++) // work-item
            sum += weight[u][v] * in[i + u - 1][j + v - 2];
        out[i][j] = sum / 256;
      }
    for (int i = 1; i < n; i++) // grid y
      for (int j = 2; j < n + 50; j++) { // grid x
        double sum = d[i][j] / 3;
        for (int u = -1; u <= 1; u++) // work-item ACC307
          for (int v = -2; v <= 2; v++) // work-item ACC307
            sum += (u * 3 + v) * e[i + u][j + v];
        d[i][j] = sum;
      }
    for (int i = 1; i < n; i++) // grid y
      for (int j = 0; j < i; j++) // grid x
        s[i][j] = t[i][j] * t[i - 1][j] + t[i + 1][j];
  }
  return DIGEST(b) ^ DIGEST(out) * 3 ^ DIGEST(s) * 5 ^ DIGEST(d) * 7;
}

/* short loops over rows that neighbouring rows share, for which compilers know the bounds and for which they don't */
#define FILTER(T, NAME) \
  static void NAME##_in(int m, int n, T a[m][n], T b[m][n], T c[m][n], T d[m][n]) \
  { \
    static const T weight[5][3] = {{1, -4, 6}, {4, 1, 2}, {-6, 2, 3}, {4, 16, 4}, {1, 4, -3}}; \
    _Pragma("acc kernels") \
    { \
      for (int i = 2; i < m - 2; i++) \
        for (int j = 1; j < n - 1; j++) { \
          T sum = 1; \
          for (int v = 0; v < 5; v++) \
            for (int u = 0; u < 3; u++) \
              sum += weight[v][u] * a[i + v - 2][j + u - 1]; \
          b[i][j] = sum; \
        } \
      for (int i = 2; i < m - 2; i++) \
        for (int j = 1; j < n - 1; j++) { \
          T sum = i - j, most = 0; \
          for (int v = -2; v <= 2; v++) { \
            T row = a[i + v][j]; \
            for (int u = -1; u <= 1; u++) \
              row = row - sum * a[i + v][j + u]; \
            sum -= row * v; \
            if (row > most) \
              most = row; \
          } \
          c[i][j] = sum + most * 2; \
        } \
      for (int i = 1; i < m - 1; i++) \
        for (int j = 2; j < n; j++) { \
          T sum = 0; \
          for (int v = 0; v < 3; v++) \
            for (int u = 0; u <= v; u++) \
              sum = sum * 3 + a[i + v - 1][j - u]; \
          d[i][j] = sum; \
        } \
    } \
  } \
  ON_FOUR(T, NAME)

FILTER(float, filter_float) // ACC306 ACC307
FILTER(double, filter_double) // ACC306 ACC307
FILTER(long, filter_long) // ACC306

/* loops along rows of matrices of which each iteration has its own */
#define ALONG(T, NAME) \
  static void NAME##_in(int m, int n, T a[m][n], T b[m][n], T c[m][m], T x[n], T y[m]) \
  { \
    _Pragma("acc kernels") \
    { \
      for (int i = 0; i < m; i++) { \
        T sum = 2; \
        for (int j = 1; j < n; j++) \
          sum += a[i][j] - x[j - 1] * b[i][j - 1]; \
        y[i] -= sum; \
      } \
      for (int i = 0; i < m; i++) \
        for (int j = 0; j < m; j++) \
          for (int k = 0; k < n; k++) \
            c[i][j] += a[i][k] * b[j][k]; \
      for (int i = 0; i < m; i++) \
        for (int j = i; j < n; j++) \
          b[i][j] = a[i][j] + b[i][j]; \
    } \
  } \
  static unsigned long NAME(int m, int n) \
  { \
    static T a[N * N], b[N * N], c[N * N], x[N], y[N]; \
    FILL(a); \
    FILL(b); \
    FILL(c); \
    FILL(x); \
    FILL(y); \
    NAME##_in(m, n, (void *)a, (void *)b, (void *)c, x, y); \
    return DIGEST(b) ^ DIGEST(c) * 3 ^ DIGEST(y) * 5; \
  }

ALONG(unsigned char, along_unsigned_char)
ALONG(unsigned long, along_unsigned_long)

static unsigned long along_in_order(int m, int n)
{
  static double a[N][N], x[N], y[N];
  FILL2(a);
  FILL(x);
  FILL(y);
#pragma acc kernels loop
  for (int i = 0; i < m; i++) { // grid x
    double sum = 1;
    for (int j = 1; j < n; j++) // work-item ACC306
      sum = sum / 3 + a[i][j] * x[j - 1];
    y[i] = sum;
  }
  return DIGEST(y);
}

/* arrays of constants: all of their values given, some of them, in another order, and one that is no constant */
static const short outside[2][2] = {{-3, 'a'}, {1 << 9, 7}};

static unsigned long constants(int n)
{
  static const float all[3] = {1, 0.1f, -2.5}, some[3] = {4};
  static const unsigned char ordered[3] = {[1] = 200, [0] = 3}, flat[2][2] = {1, 2, 3, 4};
  static int changing[3] = {1, 2, 3};
  static unsigned char in[N][N], out[N][N], other[N][N];
  static float f[N];
  FILL2(in);
  FILL2(out);
  FILL2(other);
  FILL(f);
  changing[1] = n;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid y
      for (int j = 1; j < n; j++) { // grid x
        int sum = 0;
        for (int u = 0; u < 2; u++) // work-item
          for (int v = 0; v < 2; v++) // work-item
            sum += outside[u][v] * in[i + u][j + v - 1] - flat[v][u];
        out[i][j] = sum >> 3;
        for (int u = 0; u < 3; u++) // work-item
          sum -= ordered[u] * changing[u] * in[i][j + u];
        other[i][j] = sum;
      }
    for (int i = 0; i < n; i++) // grid x
      f[i] = all[i % 3] * f[i] + some[i % 3] * all[1];
  }
  return DIGEST(out) ^ DIGEST(other) * 3 ^ DIGEST(f) * 5;
}

struct body {
  float x, v;
  short hits;
  struct { float left, right; } edge;
};

struct box {
  float from, to;
  _Bool open;
};

union word {
  int all;
  short part[2];
};

/* elements that an iteration comes back to: with and without conditions, in structs, next to others of their kind */
static unsigned long again(int n, const struct box *box)
{
  static struct body p[5000];
  static union word u[5000];
  static double d[5000], e[5001];
  static int first[5000];
  static _Bool seen[5000];
  for (int i = 0; i < 5000; i++) {
    p[i] = (struct body){noise(i), noise(i + 1), noise(i + 2), {noise(i + 3), noise(i + 4)}};
    u[i].all = noise(i) * 70000;
  }
  FILL(d);
  FILL(e);
  FILL(first);
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // grid x
      p[i].v = p[i].v - 1;
      p[i].x += p[i].v;
      if (p[i].x < box->from || p[i].x > box->to) {
        p[i].v = -p[i].v;
        p[i].hits++;
      }
      if (box->open && p[i].hits > 3)
        p[i].edge.left = p[i].x;
      p[i].edge.right += p[i].edge.left * 2;
    }
    for (int i = 0; i < n; i++) { // grid x
      d[i] *= 2;
      if (d[i] > 3)
        d[i] -= first[i + 1];
      else
        d[i] += e[i];
      e[i] = d[i] > 0 ? d[i] : 1;
      seen[i] = e[i] > 2;
      if (seen[i] && i % 3)
        seen[i] = 0;
    }
    for (int i = 0; i < n; i++) { // grid x
      u[i].all += 3;
      u[i].part[1] -= 1;
      u[i].all *= 5;
    }
    for (int i = 0; i < n; i++) { // grid x
      first[i] = i;
      first[i] += first[i] * 3;
      if (first[i] % 5 == 1)
        first[i] = -first[i];
    }
  }
  return DIGEST(p) ^ DIGEST(u) * 3 ^ DIGEST(d) * 5 ^ DIGEST(e) * 7 ^ DIGEST(first) * 9 ^ DIGEST(seen) * 11;
}

int main(void)
{
  const struct box box = {-20, 30, 1};
  const int sizes[][2] = {{2, 3}, {5, 16}, {16, 17}, {37, 31}, {33, 149}, {150, 44}};
  /* rows that lie a power of two apart, or nearly so, and rows as long that don't */
  DEVICE(filter_float(20, 512));
  DEVICE(filter_float(20, 600));
  DEVICE(filter_double(20, 1024));
  DEVICE(filter_long(19, 1100));
  DEVICE(stencil_float(20, 1020));
  DEVICE(stencil_int(21, 1050));
  DEVICE(stencil_int(22, 513));
  for (int s = 0; s < LENGTH(sizes); s++) {
    int m = sizes[s][0], n = sizes[s][1];
    DEVICE(across_float(m, n));
    DEVICE(across_double(m, n));
    DEVICE(across_char(m, n));
    DEVICE(along_unsigned_char(m, n));
    DEVICE(along_unsigned_long(m, n));
    DEVICE(along_in_order(m, n));
    if (m < 3 || n < 5)
      continue;
    DEVICE(filter_float(m, n));
    DEVICE(filter_double(m, n));
    DEVICE(filter_long(m, n));
    DEVICE(stencil_float(m, n));
    DEVICE(stencil_unsigned_char(m, n));
    DEVICE(stencil_int(m, n));
  }
  DEVICE(not_simple(4));
  DEVICE(not_simple(61));
  DEVICE(not_simple(150));
  DEVICE(volumes(6));
  DEVICE(volumes(39));
  DEVICE(constants(2));
  DEVICE(constants(140));
  DEVICE(again(1, &box));
  DEVICE(again(4999, &box));
  return 0;
}
