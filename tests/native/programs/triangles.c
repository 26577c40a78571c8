// Products over triangles, bands and trapezia: register tiles stand across the ends of rows, and what they compute there
// is nobody's. Sizes end before, at and behind vectors and tiles; what a loop doesn't reach is infinite and stays so.
// prints: 0 0 0 0 0 0 0 0 0
// launches: 162
#include <math.h>
#include <stdio.h>

#define SIDE 300

static float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE], start[SIDE][SIDE];
static double d[SIDE][SIDE], e[SIDE][SIDE];

static void lower(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < m; k++)
                c[i][j] += 2 * a[i][k] * a[j][k];
}

static void below(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < m; k++)
                e[i][j] += d[i][k] * d[k][j];
}

static void upper(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            c[i][j] = 0;
            for (int k = 0; k < m; k++)
                c[i][j] += a[k][i] * a[k][j];
            c[i][j] /= 2;
        }
}

static void above(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n - 1; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = 0; k < m; k++)
                c[i][j] -= a[k][i] * b[k][j];
}

static void band(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = i < 20 ? 0 : i - 20; j < (i + 21 < n ? i + 21 : n); j++)
            for (int k = 0; k < m; k++)
                c[i][j] += a[i][k] * b[k][j];
}

static void corner(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - i; j++)
            for (int k = 0; k < m; k++)
                c[i][j] += a[i][k] * b[k][j];
}

/* The other half has values too. */
static void both(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] *= 2;
            if (j <= i)
                for (int k = 0; k < m; k++)
                    c[i][j] += a[i][k] * b[k][j];
        }
}

/* What vectors of integers add up beside the triangle is more than fits, without harm. */
static int p[SIDE][SIDE], q[SIDE][SIDE];
static void integers(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < m; k++)
                q[i][j] += p[i][k] * p[k][j];
}

/* The first row and the last column are large: what they have in common is nobody's. */
static short s[SIDE][SIDE];
static int w[SIDE][SIDE];
static int large(int at, int of)
{
    return at == of ? 1 << (of ? 20 : 14) : 1;
}
static void widest(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < m; k++)
                w[i][j] -= s[i][k] * -p[k][j] * 2;
}

enum { LOWER, BELOW, UPPER, ABOVE, BAND, CORNER, BOTH, INTEGERS, WIDEST, ALL };
static void (*const run[ALL])(int, int) = {lower, below, upper, above, band, corner, both, integers, widest};

static int exists(int which, int n, int i, int j)
{
    switch (which) {
    case LOWER: case INTEGERS: case WIDEST: return j <= i;
    case BELOW: return j < i;
    case UPPER: return j >= i;
    case ABOVE: return j > i;
    case BAND: return j >= i - 20 && j <= i + 20;
    case CORNER: return j < n - i;
    }
    return 1;
}

static float expected(int which, int m, int i, int j)
{
    float x = which == UPPER ? 0 : which == BOTH ? 2 * start[i][j] : start[i][j];
    if (which != BOTH || j <= i)
        for (int k = 0; k < m; k++)
            x += which == LOWER ? 2 * a[i][k] * a[j][k]
                 : which == UPPER ? a[k][i] * a[k][j]
                 : which == ABOVE ? -a[k][i] * b[k][j]
                 : which == BELOW || which == INTEGERS ? a[i][k] * a[k][j]
                                                       : a[i][k] * b[k][j];
    return which == UPPER ? x / 2 : x;
}

static int wrong(int which, int n, int m)
{
    int found = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int used = (i < n || i < m) && (j < n || j < m);
            p[i][j] = (i * 7 + j * 3) % 5 - 2;
            a[i][j] = used ? p[i][j] : INFINITY;
            d[i][j] = a[i][j];
            b[i][j] = used ? (i * 5 + j * 2) % 7 - 3 : INFINITY;
            c[i][j] = start[i][j] = (i + 2 * j) % 9;
            e[i][j] = q[i][j] = w[i][j] = (int)start[i][j];
            s[i][j] = large(i, 0);
            if (which == WIDEST)
                p[i][j] = n > 1 ? large(j, n - 1) : 1;
        }
    run[which](n, m);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int runs = i < n && j < n && exists(which, n, i, j);
            if (which == WIDEST) {
                long each = -2L * large(i, 0) * (n > 1 ? large(j, n - 1) : 1);
                found += w[i][j] != (int)start[i][j] - (runs ? m * each : 0);
                continue;
            }
            float x = which == BELOW ? (float)e[i][j] : which == INTEGERS ? (float)q[i][j] : c[i][j];
            found += x != (runs ? expected(which, m, i, j) : start[i][j]);
        }
    return found;
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 5, 7, 8, 9, 16, 17, 24, 33, 40, 63, 64, 65, 79, 100, 129, 257, 290};
    int count = sizeof sizes / sizeof *sizes;
    for (int which = 0; which < ALL; which++) {
        int found = 0;
        for (int k = 0; k < count; k++)
            found += wrong(which, sizes[k], k == 3 ? 0 : k % 7 == 2 ? 259 : 1 + k);
        printf("%d%c", found, which + 1 < ALL ? ' ' : '\n');
    }
}
