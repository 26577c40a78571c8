// Rows that lanes go along forwards and then backwards, as solvers do, and matrices that are read across from their last
// row on, for elements of all sizes and against the loops themselves.
// prints: 0
// prints: 0
// prints: 0
// prints: 0
// launches: 288
#include <stdio.h>

enum { MOST = 75 * 75 };
static int wrong;

#define BACKWARDS(T)                                                                                   \
    static T T##_p[MOST], T##_q[MOST], T##_there[2][MOST], T##_back[2][MOST];                          \
    static T T##_across[2][MOST], T##_mirrored[2][MOST];                                               \
    static void T##_loops(int n, T p[restrict n][n], T q[restrict n][n],                               \
                          T there[restrict n][n], T back[restrict n][n],                               \
                          T across[restrict n][n], T mirrored[restrict n][n], int on)                  \
    {                                                                                                  \
        _Pragma("acc kernels if(on)")                                                                  \
        {                                                                                              \
            for (int i = 0; i < n; i++)                                                                \
                for (int j = 2; j < n; j++)                                                            \
                    there[i][j] = there[i][j - 1] - there[i][j - 2] / 2 + q[i][j];                     \
            for (int i = 0; i < n; i++)                                                                \
                for (int j = n - 3; j >= 0; j--)                                                       \
                    back[i][j] = back[i][j + 2] / 2 - back[i][j + 1] / 2 + there[i][j];                  \
            for (int i = 0; i < n; i++)                                                                \
                for (int j = n - 2; j >= 1; j--)                                                       \
                    across[j][i] = across[j + 1][i] / 2 + p[i][j] - q[i][j - 1];                       \
            for (int i = 0; i < n; i++)                                                                \
                for (int j = 0; j < n; j++)                                                            \
                    mirrored[i][j] = p[n - 1 - j][i] - q[j][n - 1 - i];                                \
        }                                                                                              \
    }                                                                                                  \
    static void T##_check(int n)                                                                       \
    {                                                                                                  \
        for (int i = 0; i < n * n; i++) {                                                              \
            T##_p[i] = i * 7 % 11, T##_q[i] = i * 5 % 13;                                              \
            for (int k = 0; k < 2; k++) {                                                              \
                T##_there[k][i] = i * 3 % 17, T##_back[k][i] = i * 11 % 19;                            \
                T##_across[k][i] = i % 23, T##_mirrored[k][i] = 0;                                     \
            }                                                                                          \
        }                                                                                              \
        for (int k = 0; k < 2; k++)                                                                    \
            T##_loops(n, (void *)T##_p, (void *)T##_q, (void *)T##_there[k],                           \
                      (void *)T##_back[k], (void *)T##_across[k], (void *)T##_mirrored[k],             \
                      k);                                                                              \
        for (int i = 0; i < n * n; i++)                                                                \
            wrong += T##_there[0][i] != T##_there[1][i] || T##_back[0][i] != T##_back[1][i] ||         \
                     T##_across[0][i] != T##_across[1][i] || T##_mirrored[0][i] != T##_mirrored[1][i]; \
    }

#define RUN(T)                                                                                         \
    wrong = 0;                                                                                         \
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)                                        \
        T##_check(sizes[k]);                                                                           \
    printf("%d\n", wrong);

BACKWARDS(float)
BACKWARDS(double)
BACKWARDS(short)
BACKWARDS(int)

int main(void)
{
    static const int sizes[] = {3, 4, 5, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 31, 33, 34, 66, 75};
    RUN(float)
    RUN(double)
    RUN(short)
    RUN(int)
    return 0;
}
