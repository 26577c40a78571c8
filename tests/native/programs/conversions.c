// Vectors of numbers of every size, from and to every other one.
// prints: 0
// launches: 2
#include <stdio.h>
#include <string.h>

enum { N = 1013 };
typedef signed char s8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

static s8 c[N];
static u8 b[N];
static short s[N];
static u16 w[N];
static int n[N];
static u32 u[N];
static long l[N];
static u64 q[N];
static float f[N];
static double d[N];
#define RESULTS(r)                                                                                                     \
    static s8 r##c[4][N];                                                                                              \
    static u8 r##b[4][N];                                                                                              \
    static short r##s[3][N];                                                                                           \
    static u16 r##w[3][N];                                                                                             \
    static int r##n[2][N];                                                                                             \
    static u32 r##u[2][N];                                                                                             \
    static long r##l[4][N];                                                                                            \
    static u64 r##q[3][N];                                                                                             \
    static float r##f[3][N];                                                                                           \
    static double r##d[4][N];
RESULTS(our_)
RESULTS(host_)

// a branch of its own, for which lanes are vectors
static int least(int a, int b)
{
    if (a < b)
        return a;
    return b;
}

#define FOUR_BYTES(r)                                                                                                  \
    {                                                                                                                  \
        int k = least(n[i], 100000), sum = c[i] + b[i] * 3 - s[i] + w[i];                                              \
        r##c[0][i] = (s8)k, r##b[0][i] = (u8)k, r##s[0][i] = (short)k, r##w[0][i] = (u16)k;                                \
        r##c[1][i] = (s8)f[i], r##b[1][i] = (u8)(f[i] + 100), r##s[1][i] = (short)(f[i] * 300);                           \
        r##w[1][i] = (u16)((f[i] + 101) * 300), r##n[0][i] = sum, r##u[0][i] = (u32)c[i] + (u32)s[i];                     \
        r##f[0][i] = (float)b[i] - (float)c[i] * (float)s[i], r##f[1][i] = (float)w[i];                                  \
        r##b[2][i] = (u8)s[i], r##s[2][i] = c[i], r##w[2][i] = (u16)c[i], r##c[2][i] = (s8)w[i];                           \
    }
#define EIGHT_BYTES(r)                                                                                                 \
    {                                                                                                                  \
        int k = least(n[i], 100000);                                                                                   \
        r##l[0][i] = k + (long)c[i], r##l[1][i] = (long)s[i] * w[i], r##l[2][i] = l[i] + b[i], r##l[3][i] = u[i];          \
        r##q[0][i] = q[i] ^ (u64)c[i], r##q[1][i] = q[i] + w[i], r##q[2][i] = (u64)n[i] + u[i];                           \
        r##d[0][i] = c[i] * d[i], r##d[1][i] = b[i] + (double)s[i], r##d[2][i] = w[i], r##d[3][i] = (double)n[i] + f[i];   \
        r##c[3][i] = (s8)d[i], r##b[3][i] = (u8)l[i], r##f[2][i] = (float)d[i], r##n[1][i] = (int)l[i], r##u[1][i] = (u32)q[i]; \
    }

int main(void)
{
    unsigned state = 1;
    for (int i = 0; i < N; i++) {
        state = state * 1664525 + 1013904223;
        c[i] = (s8)(state >> 24), b[i] = (u8)(state >> 16), s[i] = (short)(state >> 15), w[i] = (u16)(state >> 13);
        n[i] = (int)state, u[i] = state * 3, l[i] = (long)state * -77777, q[i] = state * 5555555555ul;
        f[i] = (float)(int)(state >> 8) / (1 << 24) * 200 - 100, d[i] = f[i] / 3;
    }
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
        FOUR_BYTES(our_)
#pragma acc parallel loop
    for (int i = 0; i < N; i++)
        EIGHT_BYTES(our_)
    for (int i = 0; i < N; i++) {
        FOUR_BYTES(host_)
        EIGHT_BYTES(host_)
    }

    int differ = 0;
#define COMPARE(t) differ += memcmp(our_##t, host_##t, sizeof our_##t) != 0;
    COMPARE(c) COMPARE(b) COMPARE(s) COMPARE(w) COMPARE(n) COMPARE(u) COMPARE(l) COMPARE(q) COMPARE(f) COMPARE(d)
    printf("%d\n", differ);
    return 0;
}
