// What happens at edges stands beside what happens inside, under conditions: each has loops of its own.
// prints: 0 0 0 0
// launches: 39
#include <stdio.h>
#include <string.h>

enum { N = 4200, M = 40, L = 50 };

static float from[N * 3 + M * L], to[N * 3 + M * L], other[N * 3 + M * L];

static void inside(int m, int n, const float *restrict a, float *restrict b)
#define INSIDE(PRAGMA)                                                                                                 \
    {                                                                                                                  \
        PRAGMA                                                                                                         \
        for (int i = 0; i < m; i++)                                                                                    \
            for (int j = 0; j < n; j++)                                                                                \
                if (i > 0 && i < m - 1 && j > 0 && j < n - 1)                                                          \
                    b[i * n + j] = a[(i - 1) * n + j] + a[(i + 1) * n + j] - a[i * n + j - 1] - a[i * n + j + 1];      \
                else                                                                                                   \
                    b[i * n + j] = 2 * a[i * n + j];                                                                   \
    }
INSIDE(_Pragma("acc kernels"))
static void inside_plainly(int m, int n, const float *restrict a, float *restrict b) INSIDE()

/* three cases, in an order that isn't theirs */
static void cases(int m, int n, const float *restrict a, float *restrict b)
#define CASES(PRAGMA)                                                                                                  \
    {                                                                                                                  \
        PRAGMA                                                                                                         \
        for (int i = 0; i < m; i++)                                                                                    \
            for (int j = 0; j < n; j++) {                                                                              \
                if (j == n - 1)                                                                                        \
                    b[i * n + j] = 3;                                                                                  \
                else if (j < i)                                                                                        \
                    b[i * n + j] = a[i * n + j + 1] + 1;                                                               \
                else                                                                                                   \
                    b[i * n + j] = a[i * n + j] * a[i * n + j + 1];                                                    \
            }                                                                                                          \
    }
CASES(_Pragma("acc parallel loop collapse(2)"))
static void cases_plainly(int m, int n, const float *restrict a, float *restrict b) CASES()

static void planes(int l, int m, int n, const float *restrict a, float *restrict b)
#define PLANES(PRAGMA)                                                                                                 \
    {                                                                                                                  \
        PRAGMA                                                                                                         \
        for (int k = 0; k < l; k++)                                                                                    \
            for (int i = 0; i < m; i++)                                                                                \
                for (int j = 0; j < n; j++)                                                                            \
                    if (k == 0 || k == l - 1 || i == 0 || i == m - 1 || j == 0 || j == n - 1)                          \
                        b[(k * m + i) * n + j] = 1;                                                                    \
                    else                                                                                               \
                        b[(k * m + i) * n + j] = a[((k - 1) * m + i) * n + j] + a[(k * m + i + 1) * n + j - 1];        \
    }
PLANES(_Pragma("acc kernels"))
static void planes_plainly(int l, int m, int n, const float *restrict a, float *restrict b) PLANES()

/* the rest of a row only where there is one, and what both leave in between */
static void left_out(int n, const float *restrict a, float *restrict b)
#define LEFT_OUT(PRAGMA)                                                                                               \
    {                                                                                                                  \
        PRAGMA                                                                                                         \
        for (int i = 0; i < n; i++) {                                                                                  \
            if (i < 7)                                                                                                 \
                b[i] = a[i] + 1;                                                                                       \
            if (i >= 19 && i < n - 2)                                                                                  \
                b[i] = a[i + 2] - 1;                                                                                   \
        }                                                                                                              \
    }
LEFT_OUT(_Pragma("acc kernels"))
static void left_out_plainly(int n, const float *restrict a, float *restrict b) LEFT_OUT()

static int wrong(void)
{
    int found = memcmp(to, other, sizeof to) != 0;
    memset(to, 0, sizeof to);
    memset(other, 0, sizeof other);
    return found;
}

int main(void)
{
    static const int sizes[][2] = {{3, N}, {M, L}, {1, 1}, {2, 2}, {1, 40}, {40, 1}, {17, 33}, {3, 3}, {0, 5}, {18, 16}};
    int bad[4] = {0};

    for (int i = 0; i < N * 3 + M * L; i++)
        from[i] = i * 7 % 11 - 5;
    for (int t = 0; t < 10; t++) {
        int m = sizes[t][0], n = sizes[t][1];
        inside(m, n, from, to);
        inside_plainly(m, n, from, other);
        bad[0] += wrong();
        cases(m, n, from, to);
        cases_plainly(m, n, from, other);
        bad[1] += wrong();
        planes(m > 3 ? 6 : m, m > 20 ? 20 : m, n > 90 ? 90 : n, from, to);
        planes_plainly(m > 3 ? 6 : m, m > 20 ? 20 : m, n > 90 ? 90 : n, from, other);
        bad[2] += wrong();
        left_out(n, from, to);
        left_out_plainly(n, from, other);
        bad[3] += wrong();
    }
    for (int k = 0; k < 4; k++)
        printf("%d%c", bad[k], k < 3 ? ' ' : '\n');
    return 0;
}
