/* Products of many small matrices, whose rows are shorter than vectors, or a little longer. */
// prints: wrong 0 0 0 0 0
// launches: 5
#include <stdio.h>

enum { COUNT = 40 };

#define PRODUCTS(T, N)                                                                                                 \
  static T a##N[COUNT][N][N], b##N[COUNT][N][N], c##N[COUNT][N][N];                                                    \
  static void products##N(int count)                                                                                   \
  {                                                                                                                    \
    _Pragma("acc parallel loop") for (int e = 0; e < count; e++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) \
    {                                                                                                                  \
      T sum = 0;                                                                                                       \
      for (int k = 0; k < N; k++)                                                                                      \
        sum += a##N[e][i][k] * b##N[e][k][j];                                                                          \
      c##N[e][i][j] = sum;                                                                                             \
    }                                                                                                                  \
  }                                                                                                                    \
  static int wrong##N(void)                                                                                            \
  {                                                                                                                    \
    int wrong = 0;                                                                                                     \
    for (int k = 0; k < COUNT * N * N; k++)                                                                            \
      (&a##N[0][0][0])[k] = (T)(k % 7 - 3), (&b##N[0][0][0])[k] = (T)(k % 5 - 1);                                      \
    products##N(COUNT);                                                                                                \
    for (int e = 0; e < COUNT; e++)                                                                                    \
      for (int i = 0; i < N; i++)                                                                                      \
        for (int j = 0; j < N; j++) {                                                                                  \
          volatile T sum = 0;                                                                                          \
          for (int k = 0; k < N; k++)                                                                                  \
            sum += a##N[e][i][k] * b##N[e][k][j];                                                                      \
          wrong += c##N[e][i][j] != sum;                                                                               \
        }                                                                                                              \
    return wrong;                                                                                                      \
  }

PRODUCTS(float, 4)
PRODUCTS(double, 5)
PRODUCTS(float, 8)
PRODUCTS(int, 12)
PRODUCTS(float, 20)

int main(void)
{
  int wrong[] = {wrong4(), wrong5(), wrong8(), wrong12(), wrong20()};
  printf("wrong %d %d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4]);
  return 0;
}
