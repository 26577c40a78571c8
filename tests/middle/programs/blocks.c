/* What iterations with loops of their own may do in blocks of rows and columns, in vectors or not: all types, conversions,
   conditions, other strides, narrow and unsigned iterators, sizes around the lengths of vectors. */
#include "middle.h"

#define N 140

/* rows and columns side by side: vectors of every element type, accumulators of another */
#define TYPE(T, S, NAME) \
  static void NAME##_in(int m, int n, int k, T a[m][k], T b[k][n], T c[m][n]) \
  { \
    _Pragma("acc kernels loop") \
    for (int i = 0; i < m; i++) \
      for (int j = 0; j < n; j++) { \
        S sum = 1; \
        for (int l = 0; l < k; l++) \
          sum += a[i][l] * b[l][j] - (b[l][j] > a[i][l] ? 3 : l); \
        c[i][j] += sum / 3; \
      } \
  } \
  static unsigned long NAME(int m, int n, int k) \
  { \
    static T a[N * N], b[N * N], c[N * N]; \
    FILL(a); \
    FILL(b); \
    FILL(c); \
    NAME##_in(m, n, k, (void *)a, (void *)b, (void *)c); \
    return DIGEST(c); \
  }

TYPE(float, float, of_float) // ACC307
TYPE(float, double, of_float_in_double) // ACC307
TYPE(double, float, of_double_in_float) // ACC307
TYPE(double, double, of_double) // ACC307
TYPE(signed char, int, of_char)
TYPE(unsigned char, unsigned char, of_unsigned_char)
TYPE(short, long, of_short)
TYPE(unsigned short, unsigned, of_unsigned_short)
TYPE(int, short, of_int_in_short)
TYPE(unsigned, unsigned long, of_unsigned)
TYPE(long, long, of_long)

/* conditions in what every iteration computes, and around it */
static unsigned long conditions(int n, float limit)
{
  static float a[N][N], b[N][N], d[N][N];
  static int c[N][N];
  FILL2(a);
  FILL2(b);
  FILL2(c);
#pragma acc kernels loop
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < n; j++) { // grid x
      float sum = 0, most = -1000;
      int count = 0;
      for (int k = 0; k < n; k++) { // work-item ACC307
        float x = b[k][j] * a[i][k];
        most = x > most && x < limit ? x : most;
        count += x > 0 || b[k][j] == 1;
        count -= !(x < limit);
        sum += limit > 0 ? x : -x;
      }
      if (n > 20)
        c[i][j] = count - (count < 0 ? -1 : count > 9);
      d[i][j] = 0;
      d[i][j] += most + sum;
    }
  return DIGEST(c) ^ DIGEST(d);
}

/* a column, a row and a mixture of them; stores apart from one another */
static unsigned long strides(int n, int m)
{
  static float a[N * N], b[N * N], x[N], y[2 * N], z[N][3];
  static short s[N];
  FILL(a);
  FILL(b);
  FILL(x);
  FILL(y);
  FILL2(z);
  FILL(s);
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // grid x
      for (int j = 0; j < m; j++) // work-item ACC302
        y[2 * i] += a[j * n + i] * x[j];
    }
    for (int i = 0; i < n; i++) { // grid x
      float sum = 0;
      for (int j = 0; j < m; j++) // work-item ACC307
        sum += a[i * m + j] * x[j];
      y[i] = sum;
    }
    for (int i = 0; i < n; i++) { // grid x
      float sum = i, other = 2 * i + s[i];
      for (int j = 0; j < m; j++) { // work-item ACC306
        sum += b[j * n + i] * z[i][0] - i;
        other += sum * j;
      }
      z[i][1] = sum;
      z[i][2] = other;
      s[i] = i * 3 - s[i];
    }
  }
  return DIGEST(y) ^ DIGEST(z) * 3 ^ DIGEST(s) * 5;
}

/* iterators that are narrow, unsigned or as wide as pointers, from somewhere to somewhere */
static unsigned long iterators(unsigned n, size_t m, short k)
{
  static double a[N][N], b[N][N], c[N][N];
  FILL2(a);
  FILL2(b);
  FILL2(c);
#pragma acc kernels
  {
    for (unsigned i = 3; i < n; i++) // grid y
      for (size_t j = 5; j <= m; j++) // grid x
        for (short l = 0; l < k; l++) // work-item ACC302
          c[i][j] += a[i][l] * b[l][j] + j - i;
    for (short i = 1; i < k; i++) // grid y
      for (unsigned char j = 0; j < 120; j++) { // grid x
        double sum = i - j;
        for (size_t l = 2; l < m; l++) // work-item ACC307
          sum -= b[l][j] * (j + l);
        a[i][j] = sum;
      }
  }
  return DIGEST(a) ^ DIGEST(c) * 3;
}

/* iterators that are narrower than what bounds them */
static unsigned long bounds(long n, size_t m, unsigned k)
{
  static double a[N], b[N], c[N][N];
  FILL(a);
  FILL(b);
  FILL2(c);
#pragma acc kernels loop
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < m; j++) { // grid x
      double sum = 0;
      for (int l = 0; l < k; l++) // work-item ACC307
        sum += a[i] + a[j] * b[l];
      c[i][j] = sum;
    }
  return DIGEST(c);
}

/* loops inside that only some rows run the same number of times */
static unsigned long triangles(int n)
{
  static int a[N][N], b[N][N], c[N][N], d[N][N];
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL2(d);
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j < n; j++) // grid x
        for (int k = 0; k < i; k++) // grid x
          c[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j < n; j++) // grid x
        for (int k = j; k < n; k++) // grid x
          d[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < n; i++) // grid y
      for (int j = 0; j <= i; j++) // grid x
        for (int k = 0; k < n; k++) // grid x
          b[n + i][j] += a[i][k] * a[k][j];
  }
  return DIGEST(b) ^ DIGEST(c) * 3 ^ DIGEST(d) * 5;
}

/* several loops in a body, several variables that live from one to the next, one that lives in none */
static unsigned long bodies(int n, int m)
{
  static float a[N][N], b[N][N], c[N][N], w[7];
  FILL2(a);
  FILL2(b);
  FILL2(c);
  FILL(w);
#pragma acc kernels loop copyin(w)
  for (int i = 3; i < n - 3; i++) // grid y
    for (int j = 3; j < n - 3; j++) { // grid x
      float low = a[i][j], high = low * 2;
      for (int u = 0; u < 7; u++) { // work-item ACC307
        float here = w[u] * a[i + u - 3][j];
        low += here;
      }
      if (m > 2)
        for (int u = 0; u < m; u++) { // work-item ACC307
          float here = w[u % 7] * b[i][j + u - 3], twice = here + here;
          high -= here - low;
          for (int v = 0; v < u; v++) // work-item ACC307
            high += twice * w[v];
        }
      float both = low + high;
      c[i][j] = both * both;
    }
  return DIGEST(c);
}

/* three dimensions, and arrays that a work-item has for itself */
static unsigned long solids(int n)
{
  static float a[40][40][40], b[40][40][40];
  static int seen[40];
  for (int i = 0; i < 40; i++) {
    FILL2(a[i]);
    FILL2(b[i]);
  }
#pragma acc kernels
  {
    for (int i = 1; i < n - 1; i++) // grid z
      for (int j = 1; j < n - 1; j++) // grid y
        for (int k = 1; k < n - 1; k++) { // grid x
          float sum = 0;
          for (int u = -1; u <= 1; u++) // work-item ACC307
            for (int v = -1; v <= 1; v++) // work-item ACC307
              sum += a[i + u][j + v][k] * (u + v) + a[i][j + u][k + v];
          b[i][j][k] = sum;
        }
    for (int i = 0; i < n; i++) { // grid x
      int counts[4];
      counts[0] = counts[1] = counts[2] = counts[3] = 0;
      for (int j = 0; j < n; j++) // work-item ACC302
        counts[j & 3] += (int)b[i][j][j % 7];
      seen[i] = counts[0] * 3 + counts[3];
    }
  }
  return DIGEST(b) ^ DIGEST(seen);
}

/* what all iterations combine into, with and without conditions, beside and inside of other loops */
static unsigned long combined(int n, int m)
{
  static int a[5000], b[70][70], wide[N];
  static unsigned char bits[5000];
  static float f[5000], least, most;
  FILL(a);
  FILL2(b);
  FILL(bits);
  FILL(f);
  FILL(wide);
  long sum = 1, total = 0, all = ~0L;
  unsigned short exclusive = 3;
  int best = -1000, count = 0, product = 1, some = 0;
  least = 9;
  most = -9;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // grid x
      sum += a[i] * 3;
      count -= a[i] > 7;
      exclusive ^= bits[i];
      all &= bits[i] | ~15;
      product *= a[i] | 1;
    }
    for (int i = 1; i < n; i++) // grid x
      if (a[i] > best)
        best = a[i];
    for (int i = 0; i < m; i++) // grid y
      for (int j = 3; j < m; j++) // grid x
        total += b[i][j] * (j - i);
    for (int i = 0; i < m; i++) // grid y
      for (int j = 0; j <= i; j++) // grid x
        some |= b[i][j] & wide[j];
  }
#pragma acc parallel loop reduction(min:least) reduction(max:most)
  for (int i = 0; i < n; i++) { // grid x
    least = f[i] < least ? f[i] : least;
    most = most > f[i] ? most : f[i];
  }
  return (unsigned long)(sum ^ total ^ all) ^ exclusive ^ best ^ count * 77 ^ product ^ some ^ DIGEST(least) ^ DIGEST(most);
}

int main(void)
{
  const int sizes[][3] = {{1, 1, 1}, {7, 9, 3}, {8, 32, 4}, {33, 65, 17}, {70, 100, 40}, {64, 140, 2}};
  for (int s = 0; s < LENGTH(sizes); s++) {
    int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
    DEVICE(of_float(m, n, k));
    DEVICE(of_float_in_double(m, n, k));
    DEVICE(of_double_in_float(m, n, k));
    DEVICE(of_double(m, n, k));
    DEVICE(of_char(m, n, k));
    DEVICE(of_unsigned_char(m, n, k));
    DEVICE(of_short(m, n, k));
    DEVICE(of_unsigned_short(m, n, k));
    DEVICE(of_int_in_short(m, n, k));
    DEVICE(of_unsigned(m, n, k));
    DEVICE(of_long(m, n, k));
  }
  DEVICE(conditions(1, 3));
  DEVICE(conditions(21, 9));
  DEVICE(conditions(67, -2));
  DEVICE(solids(3));
  DEVICE(solids(40));
  DEVICE(combined(1, 1));
  DEVICE(combined(19, 4));
  DEVICE(combined(5000, 70));
  DEVICE(strides(1, 3));
  DEVICE(strides(70, 41));
  DEVICE(strides(140, 140));
  DEVICE(iterators(6, 8, 3));
  DEVICE(iterators(70, 130, 67));
  DEVICE(bounds(7, 9, 70));
  DEVICE(bounds(69, 133, 10));
  DEVICE(triangles(5));
  DEVICE(triangles(69));
  DEVICE(bodies(9, 1));
  DEVICE(bodies(70, 5));
  DEVICE(bodies(139, 4));
  return 0;
}
