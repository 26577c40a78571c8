// Iterations that all update the same row of elements, alone or beside sums along a row of a matrix, of many sizes, in
// any order: vectors lie along rows, some iterations run side by side, and what is left over counts once. So do rows
// that no copy has room for, those that each iteration has a part of, and elements that data choose.
// prints: 0 0 0 0 0
// launches: 1898
// plainly launches: 1790
#include <stdio.h>
#include <string.h>

enum { MOST = 300 * 300, LONG = 20000 };
static int wrong;

#define UPDATES(T)                                                                                                    \
    static T T##_a[MOST], T##_s[2][LONG], T##_p[2][LONG], T##_q[2][LONG];                                             \
    static void T##_beside(int n, int m, T a[restrict n][m], T *restrict s, T *restrict p, T *restrict q)             \
    {                                                                                                                 \
        _Pragma("acc parallel loop reduction(+ : s[0:m])") for (int i = 0; i < n; i++)                                \
        {                                                                                                             \
            T t = 1;                                                                                                  \
            _Pragma("acc loop reduction(+ : t)") for (int j = 0; j < m; j++)                                          \
            {                                                                                                         \
                s[j] = s[j] + q[i] * a[i][j];                                                                         \
                t += a[i][j] * p[j];                                                                                  \
            }                                                                                                         \
            q[i] = t;                                                                                                 \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_behind(int n, int m, T a[restrict n][m], T *restrict s, T *restrict p, T *restrict q)             \
    {                                                                                                                 \
        _Pragma("acc parallel loop reduction(+ : s[0:m])") for (int i = 0; i < n; i++)                                \
        {                                                                                                             \
            T t = 0;                                                                                                  \
            _Pragma("acc loop reduction(+ : t)") for (int j = 0; j < m; j++) t += a[i][j] * p[j];                     \
            for (int j = 0; j < m; j++)                                                                               \
                s[j] -= a[i][j] * t;                                                                                  \
            q[i] = t;                                                                                                 \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_two(int n, int m, T a[restrict n][m], T *restrict s, T *restrict p, T *restrict q)                \
    {                                                                                                                 \
        _Pragma("acc parallel loop reduction(+ : s[0:m]) reduction(+ : p[0:m])") for (int i = 0; i < n; i++)          \
        {                                                                                                             \
            q[i] = q[i] + 1;                                                                                          \
            for (int j = 2; j < m - 3; j++) {                                                                         \
                s[j - 1] += q[i] * a[i][j + 1];                                                                       \
                p[j + 1] += a[i][j];                                                                                  \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_alone(int n, int m, T a[restrict n][m], T *restrict s, T *restrict p, T *restrict q)              \
    {                                                                                                                 \
        _Pragma("acc parallel loop reduction(+ : s[0:m])") for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)    \
        {                                                                                                             \
            T t = q[i] * a[i][j];                                                                                     \
            s[j] += t * 2;                                                                                            \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_in_order(int which, int n, int m, T a[restrict n][m], T *restrict s, T *restrict p, T *restrict q)\
    {                                                                                                                 \
        for (int i = 0; i < n; i++) {                                                                                 \
            T t = which == 0, old = q[i];                                                                             \
            for (int j = 0; j < m; j++)                                                                               \
                t += a[i][j] * p[j];                                                                                  \
            q[i] = which == 2 ? old + 1 : which == 3 ? old : t;                                                       \
            for (int j = 0; j < m; j++) {                                                                             \
                if (which == 3)                                                                                       \
                    s[j] += old * a[i][j] * 2;                                                                        \
                else if (which == 0)                                                                                  \
                    s[j] += old * a[i][j];                                                                            \
                else if (which == 1)                                                                                  \
                    s[j] -= a[i][j] * t;                                                                              \
                else if (which == 2 && j >= 2 && j < m - 3) {                                                         \
                    s[j - 1] += q[i] * a[i][j + 1];                                                                   \
                    p[j + 1] += a[i][j];                                                                              \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_compared(int n, int m)                                                                            \
    {                                                                                                                 \
        for (int which = 0; which < 4; which++) {                                                                     \
            for (int i = 0; i < MOST; i++)                                                                            \
                T##_a[i] = i * 13 % 7 - 2;                                                                            \
            for (int k = 0; k < 2; k++)                                                                               \
                for (int i = 0; i < LONG; i++)                                                                        \
                    T##_s[k][i] = i % 5, T##_p[k][i] = i * 7 % 5 - 1, T##_q[k][i] = i % 3 - 1;                        \
            void (*updates[])(int, int, T[restrict n][m], T *restrict, T *restrict, T *restrict) = {                  \
                T##_beside, T##_behind, T##_two, T##_alone};                                                          \
            updates[which](n, m, (void *)T##_a, T##_s[0], T##_p[0], T##_q[0]);                                        \
            T##_in_order(which, n, m, (void *)T##_a, T##_s[1], T##_p[1], T##_q[1]);                                   \
            wrong += memcmp(T##_s[0], T##_s[1], sizeof T##_s[0]) || memcmp(T##_p[0], T##_p[1], sizeof T##_p[0]) ||    \
                     memcmp(T##_q[0], T##_q[1], sizeof T##_q[0]);                                                     \
        }                                                                                                             \
    }
UPDATES(float)
UPDATES(double)
UPDATES(int)

/* each iteration has a part of the row, whose elements data choose */
static void parts(int n, int m, const float a[restrict n][m], float *restrict s, float *restrict q)
{
#pragma acc parallel loop reduction(+ : s[0:m])
    for (int i = 0; i < n; i++) {
        q[i] = i;
        for (int j = i % 5; j < m; j++)
            s[j] += a[i][j];
        for (int j = 0; j < m; j++)
            if (a[i][j] > 0)
                s[j] += 1;
    }
}

/* other operators, and types of one byte */
static void masks(int n, int m, const unsigned char a[restrict n][m], unsigned char *restrict s, unsigned *restrict p,
                  int *restrict q)
{
#pragma acc parallel loop reduction(^ : s[0:m]) reduction(| : p[0:m])
    for (int i = 0; i < n; i++) {
        q[i] = i;
        for (int j = 0; j < m; j++) {
            s[j] ^= a[i][j];
            p[j] |= 1u << (a[i][j] & 31);
        }
    }
}

int main(void)
{
    int sizes[] = {0, 1, 2, 3, 5, 16, 17, 37, 64, 65, 100, 131, 300};
    void (*compared[])(int, int) = {float_compared, double_compared, int_compared};
    for (int k = 0; k < 3; k++) {
        wrong = 0;
        for (int n = 0; n < 13; n++)
            for (int m = 1; m < 13; m++)
                compared[k](sizes[n], sizes[m]);
        compared[k](4, LONG);
        compared[k](80, 1 << 10);
        printf("%d ", wrong);
    }
    for (int k = 0; k < 2; k++)
        memset(float_s[k], 0, sizeof float_s[k]);
    parts(90, 70, (void *)float_a, float_s[0], float_q[0]);
    for (int i = 0; i < 90; i++)
        for (int j = 0; j < 70; j++) {
            float_s[1][j] += j >= i % 5 ? float_a[i * 70 + j] : 0;
            float_s[1][j] += float_a[i * 70 + j] > 0;
        }
    printf("%d ", memcmp(float_s[0], float_s[1], sizeof float_s[0]) || float_q[0][89] != 89);
    static unsigned char a[300 * 131], s[2][131];
    static unsigned p[2][131];
    for (int i = 0; i < 300 * 131; i++)
        a[i] = i * 37 % 251;
    masks(300, 131, (void *)a, s[0], p[0], int_q[0]);
    for (int i = 0; i < 300 * 131; i++)
        s[1][i % 131] ^= a[i], p[1][i % 131] |= 1u << (a[i] & 31);
    printf("%d\n", memcmp(s[0], s[1], sizeof s[0]) || memcmp(p[0], p[1], sizeof p[0]));
}
