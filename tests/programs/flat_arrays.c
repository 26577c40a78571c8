// Arrays of one dimension and a constant length, in rows whose length only the caller knows.
// prints: 0 0 0 0 0 0 0
// launches: 96
#include <stdio.h>
#include <string.h>

enum { MOST = 40, ALL = MOST * MOST };
static float a[ALL], b[ALL], results[2][ALL];
static float c[ALL], d[ALL];
static int counts[MOST * 3];

#define BOTH(name, pragma, ...)                                                                                        \
    static float name(int n, int m)                                                                                    \
    {                                                                                                                  \
        float own[ALL];                                                                                                \
        memcpy(own, a, sizeof own);                                                                                    \
        _Pragma(pragma) __VA_ARGS__ return own[n];                                                                     \
    }                                                                                                                  \
    static float name##_plainly(int n, int m)                                                                          \
    {                                                                                                                  \
        float own[ALL];                                                                                                \
        memcpy(own, a, sizeof own);                                                                                    \
        __VA_ARGS__ return own[n];                                                                                     \
    }

BOTH(product, "acc kernels", for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * m + j];
    c[i * m + j] = sum;
})

BOTH(sweeps, "acc kernels", for (int t = 0; t < 3; t++) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            d[i * m + j] = (c[(n - 1 - i) * m + m - 1 - j] + c[(i + 1) * m + j]) * 0.5f;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            c[i * m + j] = d[i * m + j] * 0.75f;
})

/* a whole array by a clause, one of the function's own, and constants beside it */
BOTH(own_array, "acc parallel loop copy(own) copyin(b)", for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    own[i * m + j] = own[i * m + j] + b[j * n + i] + (float)i;
})

BOTH(with_constants, "acc kernels", for (int i = 0; i < n; i++) {
    counts[i * 3] = i;
    counts[i * 3 + 1] = counts[i * 3 + 1] + m;
    for (int j = 0; j < m; j++)
        d[(n - 1 - i) * m + j] += c[i * m + j];
})

/* rows that overlap, elements that are written twice */
BOTH(overlapping, "acc kernels", for (int i = 0; i < n; i++) for (int j = 0; j < 2 * m; j++) {
    if (i * m + j < ALL)
        c[i * m + j] = (float)(i - j);
})

BOTH(both_ways, "acc kernels", for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) d[i * n + j] = c[j * n + i] + (float)m;)

/* a member, and an array whose length is computed */
static struct cells {
    int rows;
    float of[ALL], other[ALL];
} cells;

BOTH(members, "", {
    struct cells *s = &cells;
    s->rows = n;
    memcpy(s->of, b, sizeof b);
    float made[(n + 1) * m];
    _Pragma("acc kernels") for (int i = 0; i < s->rows; i++) for (int j = 0; j < m; j++)
    {
        made[i * m + j] = s->of[j * n + i] * 2;
        s->other[i * m + j] = made[i * m + j] + own[i * m + j];
    }
    memcpy(c, s->other, sizeof c);
    memcpy(d, made, sizeof(float) * (size_t)(n * m));
})

typedef float loops(int, int);

static int wrong(loops *ours, loops *plain)
{
    static const int sizes[][2] = {{3, 5}, {17, 31}, {40, 40}};
    int found = 0;
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        float values[2];
        unsigned long sums[2];
        for (int way = 0; way < 2; way++) {
            for (int i = 0; i < ALL; i++) {
                a[i] = (float)(i % 13);
                b[i] = (float)(i % 7);
                c[i] = (float)(i % 11);
                d[i] = 0;
            }
            memset(counts, 0, sizeof counts);
            values[way] = (way ? plain : ours)(sizes[k][0], sizes[k][1]);
            sums[way] = 0;
            for (int i = 0; i < ALL; i++)
                sums[way] = sums[way] * 31 + (unsigned long)(long)(c[i] * 64) + 7 * (unsigned long)(long)(d[i] * 64);
            for (int i = 0; i < MOST * 3; i++)
                sums[way] = sums[way] * 31 + (unsigned long)counts[i];
            memcpy(results[way], c, sizeof c);
        }
        found += values[0] != values[1] || sums[0] != sums[1] || memcmp(results[0], results[1], sizeof c) != 0;
    }
    return found;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d ", WRONG(members));
    printf("%d %d %d ", WRONG(product), WRONG(sweeps), WRONG(own_array));
    printf("%d %d %d\n", WRONG(with_constants), WRONG(overlapping), WRONG(both_ways));
}
