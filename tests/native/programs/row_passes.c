// Two passes over a matrix, along its rows and down its columns, are one over its rows where what columns add up has no
// order, as that of integers: rows that are added up first and those that need nothing of each other, columns that come
// first, begin with a number of their own and are used behind. Small matrices have two passes, and so have those of
// whose columns nobody has room for a copy, and those whose second pass reads what all of the first one leaves.
// prints: 0 0 0
// launches: 1072
// plainly launches: 1434
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int setenv(const char *, const char *, int);

#define PASSES(T)                                                                                                     \
    static void T##_beside(int n, int m, T a[restrict n][m], T *restrict s, T *restrict q, T *restrict p, T *restrict r) \
    {                                                                                                                 \
        _Pragma("acc kernels") for (int i = 0; i < n; i++)                                                            \
        {                                                                                                             \
            q[i] = 1;                                                                                                 \
            for (int j = 0; j < m; j++) {                                                                             \
                s[j] = s[j] + r[i] * a[i][j];                                                                         \
                q[i] = q[i] + a[i][j] * p[j];                                                                         \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_behind(int n, int m, T a[restrict n][m], T *restrict s, T *restrict q, T *restrict p, T *restrict r) \
    {                                                                                                                 \
        _Pragma("acc kernels")                                                                                        \
        {                                                                                                             \
            for (int j = 0; j < m; j++)                                                                               \
                s[j] = 0;                                                                                             \
            for (int i = 0; i < n; i++) {                                                                             \
                T z = r[i];                                                                                           \
                for (int j = 0; j < m; j++)                                                                           \
                    z += a[i][j] * p[j];                                                                              \
                q[i] = z * 2;                                                                                         \
                for (int j = 0; j < m; j++)                                                                           \
                    s[j] -= z * a[i][j];                                                                              \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_apart(int n, int m, T a[restrict n][m], T *restrict s, T *restrict q, T *restrict p, T *restrict r) \
    {                                                                                                                 \
        int i, j;                                                                                                     \
        _Pragma("acc kernels")                                                                                        \
        {                                                                                                             \
            for (i = 0; i < n; i++)                                                                                   \
                for (j = 0; j < m; j++)                                                                               \
                    q[i] += a[i][j] * p[j];                                                                           \
            for (i = 0; i < m; i++)                                                                                   \
                for (j = 0; j < n; j++)                                                                               \
                    s[i] += a[j][i] * r[j];                                                                           \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_columns_first(int n, int m, T a[restrict n][m], T *restrict s, T *restrict q, T *restrict p,      \
                                  T *restrict r)                                                                      \
    {                                                                                                                 \
        _Pragma("acc kernels")                                                                                        \
        {                                                                                                             \
            for (int j = 0; j < m; j++) {                                                                             \
                s[j] = 3;                                                                                             \
                for (int i = 0; i < n; i++)                                                                           \
                    s[j] += a[i][j] * r[i];                                                                           \
            }                                                                                                         \
            for (int i = 0; i < n; i++) {                                                                             \
                q[i] = 2;                                                                                             \
                for (int j = 0; j < m; j++)                                                                           \
                    q[i] += a[i][j] * p[j];                                                                           \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_used(int n, int m, T a[restrict n][m], T *restrict s, T *restrict q, T *restrict p, T *restrict r) \
    {                                                                                                                 \
        _Pragma("acc kernels")                                                                                        \
        {                                                                                                             \
            for (int i = 0; i < n; i++)                                                                               \
                for (int j = 0; j < m; j++)                                                                           \
                    q[i] += a[i][j];                                                                                  \
            for (int j = 0; j < m; j++) {                                                                             \
                s[j] = 0;                                                                                             \
                for (int i = 0; i < n; i++)                                                                           \
                    s[j] += q[i] * a[i][j];                                                                           \
                p[j] = s[j] + p[j];                                                                                   \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_needs_all(int n, int m, T a[restrict n][m], T *restrict s, T *restrict q, T *restrict p, T *restrict r) \
    {                                                                                                                 \
        _Pragma("acc kernels")                                                                                        \
        {                                                                                                             \
            for (int j = 0; j < m; j++)                                                                               \
                for (int i = 0; i < n; i++)                                                                           \
                    s[j] += a[i][j] * r[i];                                                                           \
            for (int i = 0; i < n; i++)                                                                               \
                for (int j = 0; j < m; j++)                                                                           \
                    q[i] += a[i][j] * s[j];                                                                           \
        }                                                                                                             \
    }                                                                                                                 \
    static void T##_in_order(int which, int n, int m, T a[restrict n][m], T *restrict s, T *restrict q, T *restrict p, \
                             T *restrict r)                                                                           \
    {                                                                                                                 \
        T begins[] = {0, 0, 0, 3, 0, 0};                                                                              \
        for (int j = 0; j < m; j++)                                                                                   \
            s[j] = which == 1 || which == 3 || which == 4 ? begins[which] : s[j];                                     \
        for (int i = 0; i < n; i++) {                                                                                 \
            T z = which == 0 ? 1 : which == 1 ? r[i] : which == 3 ? 2 : q[i];                                         \
            for (int j = 0; j < m && which != 5; j++)                                                                 \
                z += a[i][j] * (which == 4 ? 1 : p[j]);                                                               \
            q[i] = which == 1 ? z * 2 : z;                                                                            \
            for (int j = 0; j < m; j++)                                                                               \
                s[j] += a[i][j] * (which == 1 ? -z : which == 4 ? z : r[i]);                                          \
        }                                                                                                             \
        for (int j = 0; j < m; j++)                                                                                   \
            p[j] = which == 4 ? s[j] + p[j] : p[j];                                                                   \
        for (int i = 0; i < n && which == 5; i++)                                                                     \
            for (int j = 0; j < m; j++)                                                                               \
                q[i] += a[i][j] * s[j];                                                                               \
    }                                                                                                                 \
    static int T##_differs(int n, int m)                                                                              \
    {                                                                                                                 \
        void (*passes[])(int, int, T[restrict n][m], T *restrict, T *restrict, T *restrict, T *restrict) = {          \
            T##_beside, T##_behind, T##_apart, T##_columns_first, T##_used, T##_needs_all};                           \
        size_t length = (n > m ? n : m) + 1, bytes = 4 * length * sizeof(T);                                          \
        T *a = malloc(((size_t)n * m + 1) * sizeof(T)), *one = malloc(bytes), *other = malloc(bytes);                 \
        int differs = 0;                                                                                              \
        for (size_t k = 0; k < (size_t)n * m; k++)                                                                    \
            a[k] = (T)(k * 13 % 7) - 3;                                                                               \
        for (int which = 0; which < 6; which++) {                                                                     \
            for (size_t k = 0; k < 4 * length; k++)                                                                   \
                one[k] = other[k] = (T)(k * 7 % 5) - 2;                                                               \
            passes[which](n, m, (void *)a, one, one + length, one + 2 * length, one + 3 * length);                    \
            T##_in_order(which, n, m, (void *)a, other, other + length, other + 2 * length, other + 3 * length);      \
            differs += memcmp(one, other, bytes) != 0;                                                                \
        }                                                                                                             \
        free(a), free(one), free(other);                                                                              \
        return differs;                                                                                               \
    }
PASSES(int)
PASSES(float)
PASSES(double)

int main(void)
{
    setenv("ACCSHARE_THREADS", "3", 1); // many cores would have too few rows each
    int sizes[][2] = {{1400, 503}, {1027, 771}, {5003, 150}, {800, 1001}, {130, 5000}, {70, 37}, {0, 7}, {9, 0}, {780, 16400}};
    int (*differs[])(int, int) = {int_differs, float_differs, double_differs};
    for (int k = 0; k < 3; k++) {
        int all = 0;
        for (int at = 0; at < 9 - k; at++)
            all += differs[k](sizes[at][0], sizes[at][1]);
        printf("%d%c", all, k < 2 ? ' ' : '\n');
    }
}
