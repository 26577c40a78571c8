// Pointers that are declared before and get their places in loops, and counters that go on where they stand.
// prints: 0 0 0 0 0 0 0 0 0
// launches: 50
#include <stdio.h>
#include <string.h>

enum { N = 400 };
static float a[N], got[N], wanted[N];

#define BOTH(name, declared, pragma, result, ...)                                                                      \
    static int name(int n, int m, const float *restrict x, float *restrict y)                                          \
    {                                                                                                                  \
        declared _Pragma(pragma) __VA_ARGS__ return result;                                                            \
    }                                                                                                                  \
    static int name##_plainly(int n, int m, const float *restrict x, float *restrict y)                                \
    {                                                                                                                  \
        declared __VA_ARGS__ return result;                                                                            \
    }

BOTH(rows, const float *p; float *q; int i; int j;, "acc kernels", i + j, for (i = 0; i < n; i++) {
    p = x + i * m;
    q = y + i * m;
    for (j = 0; j < m; j++)
        *q++ = 2 * *p++;
})

BOTH(in_headers, const float *p; float *q; int i; int j;, "acc kernels", i, for (i = 0; i < n; i++)
    for (j = 0, p = x + i * m, q = y + i * m; j < m; j++, p++, q += 1)
        *q = 3 * *p;)

/* a second place in the same block, and one that stays */
BOTH(twice, const float *p; float *q;, "acc kernels", 0, for (int i = 0; i < n; i++) {
    p = x + i * m, q = y + i * m;
    for (int j = 0; j < m; j++)
        q[j] = p[j] + p[m - 1 - j];
    p = x + (n - 1 - i) * m;
    for (int j = 0; j < m; j++)
        q[j] += *p++;
})

BOTH(inside, , "acc kernels", 0, for (int i = 0; i < n; i++) {
    const float *p;
    float *q;
    p = x + i * m;
    if (i % 2) {
        q = y + i * m;
        *q = *p;
    } else {
        q = y + i * m + 1;
        *q++ = p[1];
        *q = 2;
    }
})

/* what was unrolled goes on by single elements */
BOTH(rest, int i;, "acc kernels", i, {
    for (i = 0; i < n - 3; i += 4) {
        y[i] = x[i] + 1;
        y[i + 1] = x[i + 1] + 1;
        y[i + 2] = x[i + 2] + 1;
        y[i + 3] = x[i + 3] + 1;
    }
    for (; i < n; i++)
        y[i] = x[i] + 1;
})

BOTH(beside, int in = m; int out = 5;, "acc kernels", in + 100 * out, for (; in < n; in += 2, out -= 3) y[in] = x[in] + out;)

BOTH(down, int i = n;, "acc kernels", i, for (; i > 0; --i) {
    if (i == 7)
        continue;
    y[i] = x[i - 1];
})

/* the step moves more than the counter, and both are needed */
BOTH(both, int i; int k = 0;, "acc kernels", i + 1000 * k, for (i = 0; i < n; i++, k += 2) y[i] = x[k] + k;)

/* what the region stores to and how often it runs are members of one struct, and the counter is needed */
struct grid {
    int n;
    float *u;
};

BOTH(members, struct grid kept; struct grid *g = &kept; int i; kept.n = n; kept.u = y;, "acc kernels", i
     , for (i = 0; i < g->n; i++) g->u[i] = 2 * x[i];)

static int differ(int first, int other)
{
    int found = first != other || memcmp(got, wanted, sizeof got) != 0;
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    return found;
}

int main(void)
{
    static const int sizes[][2] = {{7, 5}, {10, 3}, {17, 4}, {41, 9}, {25, 15}};
    int wrong[9] = {0};
    for (int i = 0; i < N; i++)
        a[i] = (float)(i * 7 % 31) - 9;
    for (int k = 0; k < 5; k++) {
        int n = sizes[k][0], m = sizes[k][1];
#define CHECK(number, name) wrong[number] += differ(name(n, m, a, got), name##_plainly(n, m, a, wanted));
        CHECK(0, rows)
        CHECK(1, in_headers)
        CHECK(2, twice)
        CHECK(3, inside)
        CHECK(4, rest)
        CHECK(5, beside)
        CHECK(6, down)
        CHECK(7, both)
        CHECK(8, members)
    }
    for (int k = 0; k < 9; k++)
        printf("%d%c", wrong[k], k == 8 ? '\n' : ' ');
    return 0;
}
