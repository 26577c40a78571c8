// memset, memcpy and memmove are loops, and functions that count bits are arithmetic, against those of the host.
// prints: 0 0 0 0 0 0
// launches: 35
#include <stdio.h>
#include <string.h>

enum { N = 40, M = 30 };
static double from[N * M], got[N * M], wanted[N * M];
static unsigned char bytes[N * M];
static unsigned words[N * M];
static unsigned long long wide[N * M];
static int counts[N * M], expected[N * M];

#define BOTH(name, parameters, pragma, ...)                                                                            \
    static void name parameters                                                                                        \
    {                                                                                                                  \
        _Pragma(pragma) __VA_ARGS__                                                                                    \
    }                                                                                                                  \
    static void name##_plainly parameters { __VA_ARGS__ }

BOTH(padded, (int n, int m, int pad, const double *restrict x, double *restrict y), "acc kernels",
     for (int i = 0; i < n; i++) {
         memset(y + i * (m + 2 * pad), 0, pad * sizeof *y);
         memcpy(&y[i * (m + 2 * pad) + pad], x + i * m, sizeof(double) * m);
         memset(y + i * (m + 2 * pad) + pad + m, 0, sizeof(double) * pad);
     })

BOTH(moved, (int n, int m, int pad, const double *restrict x, double *restrict y), "acc parallel loop",
     for (int i = 0; i < n; i++) {
         memmove(y + i * m, x + (n - 1 - i) * m, m * 8);
         y[i * m] += pad;
     })

BOTH(filled, (int n, int m, int pad, const double *restrict x, double *restrict y), "acc kernels", {
    memset(bytes, 7, (size_t)n * m);
    for (int i = 0; i < n * m; i++) y[i] = bytes[i] + x[i];
})

BOTH(ones, (int n, const unsigned *restrict x, const unsigned long long *restrict y, int *restrict z), "acc kernels",
     for (int i = 0; i < n; i++) z[i] = __builtin_popcount(x[i]) + 100 * __builtin_popcountll(y[i] ^ x[i]);)

BOTH(odd, (int n, const unsigned *restrict x, const unsigned long long *restrict y, int *restrict z), "acc kernels",
     for (int i = 0; i < n; i++) z[i] = __builtin_parity(x[i]) + 2 * __builtin_parityl(y[i] & x[i]);)

BOTH(zeros, (int n, const unsigned *restrict x, const unsigned long long *restrict y, int *restrict z), "acc kernels",
     for (int i = 0; i < n; i++) z[i] = (x[i] ? __builtin_ctz(x[i]) : -1) + (y[i] != 0 ? 100 * __builtin_ctzll(y[i]) : 0);)

static int differ(void)
{
    int found = memcmp(got, wanted, sizeof got) != 0 || memcmp(counts, expected, sizeof counts) != 0;
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    return found;
}

int main(void)
{
    static const int sizes[][3] = {{1, 1, 0}, {3, 5, 1}, {7, 1, 4}, {20, 24, 3}, {24, 20, 0}};
    int wrong[6] = {0};
    unsigned long long state = 1;
    for (int i = 0; i < N * M; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        from[i] = i % 7;
        words[i] = i % 5 == 0 ? 0 : (unsigned)(state >> 33) << i % 31;
        wide[i] = i % 7 == 0 ? 0 : state << i % 61;
    }
    for (int k = 0; k < 5; k++) {
        int n = sizes[k][0], m = sizes[k][1], pad = sizes[k][2];
#define CHECK(number, name, arguments, plainly)                                                                        \
    name arguments;                                                                                                    \
    name##_plainly plainly;                                                                                            \
    wrong[number] += differ();
        CHECK(0, padded, (n, m, pad, from, got), (n, m, pad, from, wanted))
        CHECK(1, moved, (n, m, pad, from, got), (n, m, pad, from, wanted))
        CHECK(2, filled, (n, m, pad, from, got), (n, m, pad, from, wanted))
        CHECK(3, ones, (n * m, words, wide, counts), (n * m, words, wide, expected))
        CHECK(4, odd, (n * m, words, wide, counts), (n * m, words, wide, expected))
        CHECK(5, zeros, (n * m, words, wide, counts), (n * m, words, wide, expected))
    }
    for (int k = 0; k < 6; k++)
        printf("%d%c", wrong[k], k == 5 ? '\n' : ' ');
    return 0;
}
