// Loops that ask behind their bodies, and unsigned numbers that run along: also where the condition does not hold at first.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 56
#include <stdio.h>
#include <string.h>

#ifndef SIZES
#define SIZES 7, 13, 64, 300
#endif

enum { N = 300, ROOM = 3 * N };
static float a[ROOM], got[ROOM], wanted[ROOM];
static unsigned hashes[2][ROOM];

#define BOTH(name, begin, pragma, result, ...)                                                                         \
    static long name(int n, const float *q, float *p, unsigned *h)                                                     \
    {                                                                                                                  \
        begin _Pragma(pragma) __VA_ARGS__ return result;                                                               \
    }                                                                                                                  \
    static long name##_plainly(int n, const float *q, float *p, unsigned *h) { begin __VA_ARGS__ return result; }

BOTH(counted, const float *q0 = q; if (n < 1) return 0;, "acc kernels", n + (q - q0), do *p++ = *q++ * 2; while (--n);)

BOTH(indexed, int i = 0;, "acc kernels", i, do {
    p[i] = q[i] + 1;
    i++;
} while (i < n);)

BOTH(behind, int i = 3;, "acc kernels", i, do p[i] = q[i] * 3; while (i++ < n);)

BOTH(until, if (n < 1) return 0; float *end = p + n; float *p0 = p;, "acc kernels", p - p0, do {
    *p = *p + 4;
    p++;
} while (p != end);)

BOTH(unsigned_count, unsigned k = (unsigned)n; if (!k) return 0;, "acc kernels", (long)k, do {
    *p++ = *q++ - 1;
} while (--k > 0);)

BOTH(in_rows, int m = n / 6;, "acc kernels", 0, for (int r = 0; r < 5; r++) {
    const float *s = q + r * m;
    float *t = p + r * m;
    int k = m;
    do
        *t++ = *s++ + (float)r;
    while (--k > 0);
})

BOTH(two, int i = 0;, "acc kernels", i, do {
    int j = 0;
    do {
        p[i * 4 + j] = q[i + j];
        j += 2;
    } while (j < 4);
    i++;
} while (i < n / 4);)

BOTH(while_unsigned, unsigned k = (unsigned)n;, "acc kernels", (long)k, while (k--) *p++ = *q++ * 5;)

/* two numbers that come nearer */
BOTH(reversed, , "acc kernels", 0, for (int i = 0, j = n - 1; i < j; i++, j--) {
    float kept = p[i];
    p[i] = p[j];
    p[j] = kept;
})

BOTH(nearer, int low = 0; int high = n;, "acc kernels", low * 1000 + high, while (high >= low) {
    p[low] += 1;
    p[high + 301] = q[high] * 2;
    low += 2;
    high--;
})

/* how often these run data decide */
BOTH(by_data, , "acc parallel loop", 0, for (int i = 0; i < n; i++) {
    int k = (int)q[i];
    unsigned sum = 0;
    do
        sum += (unsigned)(k * k);
    while (--k > 0);
    h[i] = sum;
})

static unsigned thirds(int value)
{
    unsigned count = 0;
    do {
        count++;
        value -= 3;
    } while (value > 0);
    return count;
}

BOTH(in_a_function, , "acc parallel loop", 0, for (int i = 0; i < n; i++) h[i] = thirds((int)q[i]);)

/* these wrap around */
BOTH(wrapping, unsigned s = 12345;, "acc kernels", (long)s, for (int i = 0; i < n; i++) {
    h[i] = s ^ s >> 15;
    s += 0x9e3779b9u;
})

BOTH(below_zero, unsigned s = 3 * (unsigned)n;, "acc kernels", (long)s, for (int i = 0; i <= n; i++) {
    p[s] = (float)i;
    s -= 3;
})

typedef long loop(int, const float *, float *, unsigned *);

static int wrong(loop *ours, loop *plain)
{
    static const int sizes[] = {SIZES};
    int found = 0;
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        memset(hashes, 0, sizeof hashes);
        for (int i = 0; i < ROOM; i++) {
            a[i] = (float)(i * 7 % 31) - 9;
            got[i] = wanted[i] = (float)i;
        }
        int n = sizes[k] > N - 1 ? N - 1 : sizes[k];
        found += ours(n, a, got, hashes[0]) != plain(n, a, wanted, hashes[1]);
        found += memcmp(got, wanted, sizeof got) != 0 || memcmp(hashes[0], hashes[1], sizeof *hashes) != 0;
    }
    return found;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d %d %d ", WRONG(counted), WRONG(indexed), WRONG(behind), WRONG(until), WRONG(unsigned_count));
    printf("%d %d ", WRONG(reversed), WRONG(nearer));
    printf("%d %d ", WRONG(by_data), WRONG(in_a_function));
    printf("%d %d %d %d %d\n", WRONG(in_rows), WRONG(two), WRONG(while_unsigned), WRONG(wrapping), WRONG(below_zero));
}
