// Products whose inner loops begin or end with the row: rows of a register tile run together what all of them have, and
// each one alone what is left. Sizes end before, at and behind tiles and strips; no iteration runs twice or too early.
// prints: 0 0 0 0 0 0 0
// launches: 93
#include <stdio.h>

#define SIDE 310

static float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
static double d[SIDE][SIDE], e[SIDE][SIDE];
static unsigned p[SIDE][SIDE], q[SIDE][SIDE]; // these overflow

static void before(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < i; k++)
                c[i][j] = c[i][j] / 2 + a[i][k] * b[k][j];
}

static void from(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = i; k < n; k++)
                e[i][j] = e[i][j] / 2 + d[k][i] * d[k][j];
}

static void band(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = i < 20 ? 0 : i - 20; k < (i + 3 < n ? i + 3 : n); k++)
                q[i][j] = q[i][j] * 3 ^ p[i][k] * p[k][j];
}

static void corner(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 1; k < n - i; k++)
                c[i][j] = c[i][j] / 2 - a[k][i] * b[k][j];
}

/* Rows end where others haven't begun. */
static void slope(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = i; k < (i + 5 < n ? i + 5 : n); k++)
                c[i][j] = c[i][j] / 2 + a[i][k] * b[k][j];
}

static void sums(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 1;
            for (int k = 0; k <= i; k++)
                sum = sum / 2 + d[i][k] * d[k][j];
            e[i][j] -= sum;
        }
}

/* What comes to elements of rows above is put behind what these begin with. */
static void symmetric(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float sum = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] = c[i][j] / 2 + b[i][j] * a[i][i] + sum;
        }
}

enum { BEFORE, FROM, BAND, CORNER, SLOPE, SUMS, SYMMETRIC, ALL };
static void (*const run[ALL])(int, int) = {before, from, band, corner, slope, sums, symmetric};

static void expect(int which, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int first = which == FROM || which == SLOPE ? i : which == CORNER ? 1 : which == BAND && i >= 20 ? i - 20 : 0;
            int end = which == BEFORE || which == SYMMETRIC ? i : which == CORNER ? n - i : which == SUMS ? i + 1 : n;
            if ((which == BAND || which == SLOPE) && i + (which == BAND ? 3 : 5) < n)
                end = i + (which == BAND ? 3 : 5);
            double x = 1;
            float s = 0;
            for (volatile int k = first; k < end; k++)
                switch (which) {
                case BEFORE: case SLOPE: c[i][j] = c[i][j] / 2 + a[i][k] * b[k][j]; break;
                case FROM: e[i][j] = e[i][j] / 2 + d[k][i] * d[k][j]; break;
                case BAND: q[i][j] = q[i][j] * 3 ^ p[i][k] * p[k][j]; break;
                case CORNER: c[i][j] = c[i][j] / 2 - a[k][i] * b[k][j]; break;
                case SUMS: x = x / 2 + d[i][k] * d[k][j]; break;
                case SYMMETRIC:
                    c[k][j] += b[i][j] * a[i][k];
                    s += b[k][j] * a[i][k];
                }
            if (which == SUMS)
                e[i][j] -= x;
            if (which == SYMMETRIC)
                c[i][j] = c[i][j] / 2 + b[i][j] * a[i][i] + s;
        }
}

static void fill(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            a[i][j] = d[i][j] = p[i][j] = (i * 7 + j * 3) % 5 - 2;
            b[i][j] = (i * 5 + j * 2) % 7 - 3;
            c[i][j] = e[i][j] = q[i][j] = (i + 2 * j) % 9;
        }
}

static float c_[SIDE][SIDE];
static double e_[SIDE][SIDE];
static unsigned q_[SIDE][SIDE];

static int wrong(int which, int n, int m)
{
    int found = 0;
    fill();
    run[which](n, m);
    __builtin_memcpy(c_, c, sizeof c);
    __builtin_memcpy(e_, e, sizeof e);
    __builtin_memcpy(q_, q, sizeof q);
    fill();
    expect(which, n, m);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            found += c[i][j] != c_[i][j] || e[i][j] != e_[i][j] || q[i][j] != q_[i][j];
    return found;
}

int main(void)
{
    static const int rows[] = {0, 1, 2, 7, 8, 9, 17, 40, 63, 64, 65, 257, 300};
    for (int which = 0; which < ALL; which++) {
        int found = 0;
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
            found += wrong(which, rows[k], k % 2 ? rows[k] : 37 + (int)k);
        printf("%d%c", found, which + 1 < ALL ? ' ' : '\n');
    }
    return 0;
}
