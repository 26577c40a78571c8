// Sweeps over arrays that they change, of many sizes, against the loops themselves: two do the same to other arrays.
// prints: 0 0
// launches: 252
#include <stdio.h>

enum { MOST = 40 * 151 };
static int wrong;

#define SWEEPS(T)                                                                                     \
    static T T##_a[MOST], T##_b[MOST], T##_c[MOST], T##_d[MOST], T##_plain[2][MOST];                  \
    static void T##_sweeps(int m, int n, T a[restrict m][n], T b[restrict m][n], T c[restrict m][n],  \
                           T d[restrict m][n])                                                        \
    {                                                                                                 \
        _Pragma("acc kernels copy(a[0:m][0:n], b[0:m][0:n]) copyin(c[0:m][0:n], d[0:m][0:n])")        \
        {                                                                                             \
            for (int i = 1; i < m; i++)                                                               \
                for (int j = 0; j < n; j++)                                                           \
                    a[i][j] -= (c[i][j] - c[i - 1][j]) / 2;                                           \
            for (int k = 1; k < m; k++)                                                               \
                for (int l = 0; l < n; l++)                                                           \
                    b[k][l] -= (d[k][l] - d[k - 1][l]) / 2;                                           \
            for (int i = 1; i < m; i++)                                                               \
                for (int j = 1; j < n; j++)                                                           \
                    a[i][j] -= (b[i][j] - b[i - 1][j] + b[i][j - 1]) / 4;                             \
        }                                                                                             \
    }                                                                                                 \
    static void T##_check(int m, int n)                                                               \
    {                                                                                                 \
        for (int i = 0; i < m * n; i++) {                                                             \
            T##_a[i] = T##_plain[0][i] = i * 7 % 11, T##_b[i] = T##_plain[1][i] = i * 5 % 13;         \
            T##_c[i] = i * 3 % 17, T##_d[i] = i * 11 % 19;                                            \
        }                                                                                             \
        T##_sweeps(m, n, (void *)T##_a, (void *)T##_b, (void *)T##_c, (void *)T##_d);                 \
        for (int i = n; i < m * n; i++)                                                               \
            T##_plain[0][i] -= (T##_c[i] - T##_c[i - n]) / 2;                                         \
        for (int i = n; i < m * n; i++)                                                               \
            T##_plain[1][i] -= (T##_d[i] - T##_d[i - n]) / 2;                                         \
        for (int i = n; i < m * n; i++)                                                               \
            if (i % n)                                                                                \
                T##_plain[0][i] -= (T##_plain[1][i] - T##_plain[1][i - n] + T##_plain[1][i - 1]) / 4; \
        for (int i = 0; i < m * n; i++)                                                               \
            wrong += T##_a[i] != T##_plain[0][i] || T##_b[i] != T##_plain[1][i];                      \
    }

SWEEPS(float)
SWEEPS(double)

int main(void)
{
    static const int rows[] = {1, 2, 9, 16, 19, 39}, columns[] = {1, 3, 16, 17, 31, 144, 151};
    for (int i = 0; i < 42; i++)
        float_check(rows[i / 7], columns[i % 7]);
    printf("%d ", wrong);
    wrong = 0;
    for (int i = 0; i < 42; i++)
        double_check(rows[i / 7], columns[i % 7]);
    printf("%d\n", wrong);
    return 0;
}
