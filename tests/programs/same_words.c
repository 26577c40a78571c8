// References in the same words: where a loop can have one iteration only, what they mean is said by the iterators of
// other loops, which another statement must not take over.
// prints: 0
// launches: 3
#include <stdio.h>

#define N 140

static double a[N][N], b[N][N], c[N][N], d[N][N], e[N][N], f[N][N];

static void once_for_a_row(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            for (int k = i; k < n; k++) {
                if (k >= j)
                    c[i][j] += a[i][k] * b[k][j];
                if (k <= i)
                    d[i][j] -= a[i][k] * b[k][j];
            }
            c[i][j] += 2;
        }
}

static void once_for_an_element(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            for (int k = j; k < n; k++) {
                if (i < m)
                    c[i][j] += a[k][i] * b[k][j];
                if (k <= i)
                    d[i][j] -= a[i][k] * b[k][j];
            }
            c[i][j] += 2;
        }
}

static void shared(int n, int m)
{
#pragma acc kernels
#pragma acc share(b[*][TB_X])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = i; k < n; k++) {
                if (k >= j)
                    c[i][j] += a[i][k] * b[k][j];
                if (k <= i)
                    d[i][j] -= a[i][k] * b[k][j];
            }
}

int main(void)
{
    const int n = N - 1, m = 67;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * j + 1) % 3;
            b[i][j] = (i + 3 * j) % 4;
            c[i][j] = e[i][j] = i - j;
            d[i][j] = f[i][j] = j % 5;
        }
    once_for_a_row(n, m);
    once_for_an_element(n, m);
    shared(n, m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                const int whole = j < m && k >= i && k >= j, one = j < m && k == i;
                e[i][j] += 2 * whole * a[i][k] * b[k][j] + (j >= i && k >= j && i < m) * a[k][i] * b[k][j];
                f[i][j] -= 2 * one * a[i][k] * b[k][j] + (i == j && k == i) * a[i][k] * b[k][j];
            }
            e[i][j] += 2 * (j < m) + 2 * (j >= i);
        }
    int wrong = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            wrong += c[i][j] != e[i][j] || d[i][j] != f[i][j];
    printf("%d\n", wrong);
    return 0;
}
