// Loops over all elements that tell rows and columns by quotients and remainders, against the loops as they are written:
// sizes that are one, negative, and products that are computed before.
// prints: 0 0 0 0 0 0 0 0 0
// launches: 32
// natively launches: 36
#include <stdio.h>
#include <string.h>

#ifndef SIZES
#define SIZES {3, 5, 7}, {1, 1, 1}, {20, 33, 47}, {24, 32, 40}
#endif

enum { N = 24 * 33 * 47 };
static float a[N], got[N], wanted[N];

#define BOTH(name, parameters, pragma, ...)                                                                            \
    static void name parameters                                                                                        \
    {                                                                                                                  \
        _Pragma(pragma) __VA_ARGS__                                                                                    \
    }                                                                                                                  \
    static void name##_plainly parameters { __VA_ARGS__ }

BOTH(rows, (int n, int m, const float *restrict x, float *restrict y), "acc kernels",
     for (int t = 0; t < n * m; t++) { int i = t / m, j = t % m; y[i * m + j] = x[i * m + j] * 2 + i - j; })

BOTH(turned, (int n, int m, const float *restrict x, float *restrict y), "acc parallel loop",
     for (int t = 0; t < n * m; t++) { int i = t / m; int j = t - i * m; y[j * n + i] = x[t]; })

/* the divisors themselves are products, one way and the other */
BOTH(planes, (int l, int n, int m, const float *restrict x, float *restrict y), "acc kernels loop independent",
     for (long t = 0; t < (long)l * n * m; t++) {
         long k = t / (n * m), i = t / m % n, j = t % m;
         y[t] = (i > 0 ? x[t - m] : 0) + (k > 0 ? x[t - (long)n * m] : 1) + j;
     })

BOTH(nested, (int l, int n, int m, const float *restrict x, float *restrict y), "acc kernels",
     for (int t = 0; t < l * n * m; t++) {
         int k = t / (n * m), r = t % (n * m), i = r / m, j = r % m;
         y[(k * n + i) * m + j] = x[(k * n + i) * m + (m - 1 - j)] + k;
     })

BOTH(product, (int n, const float *restrict x, float *restrict y), "acc parallel loop",
     for (int t = 0; t < n * n; t++) {
         int i = t / n, j = t % n;
         float s = 0;
         for (int k = 0; k < n; k++)
             s += x[i * n + k] * x[k * n + j];
         y[t] = s;
     })

/* elements one after the other beside rows and planes of the same arrays */
BOTH(beside, (int m, int n, const float *restrict x, float *restrict y), "acc kernels", {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i * n + j] = (i > 0 ? x[(i - 1) * n + j] : 0) - (j > 0 ? x[i * n + j - 1] : 1);
    for (int t = 0; t < m * n; t++)
        y[t] = y[t] * 2 + x[t];
})

BOTH(in_planes, (int l, int n, int m, const float *restrict x, float *restrict y), "acc kernels", {
    int all = l * n * m;
    for (int k = 0; k < l; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                y[(k * n + i) * m + j] = x[(k * n + i) * m + j] - k * i;
    for (int t = 0; t < all; t++)
        y[t] += x[t];
})

/* by a constant, and by what the bound is no multiple of */
BOTH(constant, (int n, const float *restrict x, float *restrict y), "acc kernels",
     for (int t = 0; t < 32 * n; t++) y[t] = x[t / 32] * (t % 32);)

BOTH(other, (int n, int m, const float *restrict x, float *restrict y), "acc parallel loop",
     for (int t = 0; t < n; t++) y[t] = x[t / m] + t % m;)

static int wrong(void)
{
    int found = memcmp(got, wanted, sizeof got) != 0;
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    return found;
}

#define CHECK(k, name, ...)                                                                                            \
    do {                                                                                                               \
        name(__VA_ARGS__, a, got);                                                                                     \
        name##_plainly(__VA_ARGS__, a, wanted);                                                                        \
        bad[k] += wrong();                                                                                             \
    } while (0)

int main(void)
{
    static const int sizes[][3] = {SIZES};
    int bad[9] = {0};

    for (int k = 0; k < N; k++)
        a[k] = k * 7 % 11 - 3;
    for (int t = 0; t < (int)(sizeof sizes / sizeof *sizes); t++) {
        int l = sizes[t][0], n = sizes[t][1], m = sizes[t][2];
        CHECK(0, rows, n, m);
        CHECK(1, turned, n, m);
        CHECK(2, planes, l, n, m);
        CHECK(3, nested, l, n, m);
        CHECK(4, product, n);
        CHECK(7, beside, n, m);
        CHECK(8, in_planes, l, n, m);
        CHECK(5, constant, n);
        if (m)
            CHECK(6, other, n * m, m);
    }
    CHECK(1, turned, 4, -4);
    for (int k = 0; k < 9; k++)
        printf("%d%c", bad[k], k < 8 ? ' ' : '\n');
    return 0;
}
