/* What a CPU packs, panels that the rows of a tile share, and what it must leave: sizes around tiles and strips, all
   kinds of elements, panels across, triangles, several panels, strips that begin in the middle, elements added to. */
#include "middle.h"

/* panels along and across, of every element type, with an accumulator of another */
#define TYPE(T, S, NAME) \
  static void NAME##_in(int m, int n, int k, T a[m][k], T b[k][n], T across[n][k], T c[m][n]) \
  { \
    _Pragma("acc kernels loop") \
    for (int i = 0; i < m; i++) \
      for (int j = 0; j < n; j++) { \
        S sum = 1; \
        for (int l = 0; l < k; l++) \
          sum += a[i][l] * b[l][j] - across[j][l]; \
        c[i][j] += sum; \
      } \
  } \
  static unsigned long NAME(int m, int n, int k) \
  { \
    static T a[300 * 600], b[600 * 200], d[200 * 600], c[300 * 200]; \
    FILL(a); \
    FILL(b); \
    FILL(c); \
    FILL(d); \
    NAME##_in(m, n, k, (void *)a, (void *)b, (void *)d, (void *)c); \
    return DIGEST(c); \
  }

TYPE(float, float, of_float) // ACC307
TYPE(double, double, of_double) // ACC307
TYPE(signed char, int, of_char)
TYPE(long, long, of_long)

/* elements that are added to, in a triangle of columns and one of steps */
static unsigned long triangles(int n)
{
  static double a[400][400], c[400][400];
  FILL2(a);
  FILL2(c);
#pragma acc kernels loop
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j <= i; j++) { // grid x
      c[i][j] *= 3;
      for (int k = 0; k < n; k++) // work-item ACC302
        c[i][j] += a[i][k] * a[j][k];
    }
#pragma acc kernels loop
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < n; j++) // grid x
      for (int k = i; k < n; k++) // work-item ACC302
        c[i][j] -= a[k][i] * a[k][j];
  return DIGEST(c);
}

/* strips that begin in the middle, columns that are shifted, two panels of one array, and a third loop around */
static unsigned long shifted(int n, int from)
{
  static int a[3][300][300], b[310][320], c[3][300][300];
  for (int g = 0; g < 3; g++)
    FILL2(a[g]);
  FILL2(b);
  for (int g = 0; g < 3; g++)
    FILL2(c[g]);
#pragma acc kernels loop
  for (int g = 0; g < 3; g++) // grid z
    for (int i = 1; i < n; i++) // grid y
      for (int j = 2; j < n; j++) { // grid x
        int sum = g;
        for (int k = from; k < n - 1; k++) // grid x
          sum += a[g][i][k] * b[k + 5][j + 7] + b[k][j - 2];
        c[g][i][j] ^= sum;
      }
  return DIGEST(c);
}

/* a panel that is packed in one loop and read elsewhere in the same kernel */
static unsigned long elsewhere(int n)
{
  static float a[300][300], b[300][300], c[300][300];
  FILL2(a);
  FILL2(b);
#pragma acc kernels loop
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < n; j++) { // grid x
      float sum = b[i][j], most = 0;
      for (int k = 0; k < n; k++) // work-item ACC307
        sum += a[i][k] * b[k][j];
      for (int k = 0; k < n; k++) { // work-item
        float x = b[k][j] * a[k][i];
        most = x > most ? x : most;
      }
      c[i][j] = sum - most;
    }
  return DIGEST(c);
}

int main(void)
{
  DEVICE(of_float(300, 200, 600));
  DEVICE(of_float(257, 65, 257));
  DEVICE(of_float(1, 1, 1));
  DEVICE(of_float(3, 100, 256));
  DEVICE(of_float(100, 3, 255));
  EMPTY(of_float(0, 3, 5));
  DEVICE(of_float(5, 70, 0));
  DEVICE(of_double(300, 200, 513));
  DEVICE(of_double(31, 33, 300));
  DEVICE(of_char(100, 130, 300));
  DEVICE(of_long(40, 66, 520));
  DEVICE(triangles(400));
  DEVICE(triangles(67));
  DEVICE(shifted(300, 0));
  DEVICE(shifted(280, 131));
  DEVICE(elsewhere(300));
  DEVICE(elsewhere(65));
  return 0;
}
