// Functions that choose an index, by expressions and by returns, one in another: what they reach is known.
// prints: 0 0 0 0
// launches: 18
// natively launches: 24
#include <stdio.h>
#include <string.h>

enum { N = 70 * 90 };
static float a[N], got[N], wanted[N];

static inline int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

static int around(int v, int n)
{
    if (v < 0)
        return v + n;
    if (v >= n)
        return v - n;
    return v;
}

static int mirrored(int v, int n)
{
    if (v < 0) {
        return -v;
    } else if (v >= n) {
        return clamp(2 * n - 2 - v, 0, n - 1);
    }
    return v;
}

static int at(int i, int j, int m, int n) { return clamp(i, 0, m - 1) * n + clamp(j, 0, n - 1); }

static int of_data(float x, int n) { return x > 0 ? (int)x % n : 0; }

#define BOTH(name, ...)                                                                                                \
    static void name(int m, int n, const float *restrict x, float *restrict y)                                         \
    {                                                                                                                  \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(int m, int n, const float *restrict x, float *restrict y) { __VA_ARGS__ }

BOTH(blurred, for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
    float s = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
            s += x[at(i + di, j + dj, m, n)];
    y[i * n + j] = s;
})

BOTH(periodic, for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)
    y[i * n + j] = x[around(i - 1, m) * n + j] - x[i * n + around(j + 1, n)];)

BOTH(reflected, for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)
    y[i * n + j] = x[i * n + mirrored(j - 2, n)] * 2 + x[mirrored(i + 1, m) * n + j];)

/* what data choose is looked up */
BOTH(looked_up, for (int i = 0; i < m * n; i++) y[i] = x[of_data(x[i], n)] + i;)

static int wrong(void)
{
    int found = memcmp(got, wanted, sizeof got) != 0;
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    return found;
}

#define CHECK(k, name) name(m, n, a, got), name##_plainly(m, n, a, wanted), bad[k] += wrong()

int main(void)
{
    static const int sizes[][2] = {{70, 90}, {3, 3}, {5, 4}, {33, 64}, {3, 90}, {70, 3}};
    int bad[4] = {0};

    for (int k = 0; k < N; k++)
        a[k] = k * 7 % 11 - 3;
    for (int t = 0; t < 6; t++) {
        int m = sizes[t][0], n = sizes[t][1];
        CHECK(0, blurred);
        CHECK(1, periodic);
        CHECK(2, reflected);
        CHECK(3, looked_up);
    }
    for (int k = 0; k < 4; k++)
        printf("%d%c", bad[k], k < 3 ? ' ' : '\n');
    return 0;
}
