// The greatest and the least as most macros have them, which forget what came before a NaN; with NaN and without.
// prints: 0 0 0 0 0 0 0 0 0 0 0
// launches: 984
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef SIZES
#define SIZES 7, 64, 195
#endif
enum { N = 200 };
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

struct grid {
    int n;
    float *now, *next;
    float most[2];
};
static float x[N * N], y[2][N * N];
static double found[2][2];

#define BOTH(name, ...)                                                                                                \
    static void name(int n, const float *restrict a, float *restrict b, double *restrict out) {                        \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(int n, const float *restrict a, float *restrict b, double *restrict out) { __VA_ARGS__ }
#define RETURNS(type, m, first, ...)                                                                                   \
    {                                                                                                                  \
        type m = first;                                                                                                \
        __VA_ARGS__ out[0] = m;                                                                                        \
    }

BOTH(of_a_row, RETURNS(float, m, a[0], for (int i = 0; i < n; i++) m = MAX(m, a[i] * 2 - 1);))
BOTH(with_doubles, RETURNS(float, m, 50, for (int i = n - 1; i >= 0; i -= 3) m = MIN(m, a[i] * 1.1);))
BOTH(of_rows, RETURNS(double, m, -1, for (int i = 0; i < n; i++) for (int j = i; j < n; j++) m = MAX(m, a[i * n + j]);))
BOTH(of_what_is_stored, RETURNS(float, most, 0, for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) {
    b[i * n + j] = 0.25f * (a[i * n + j - 1] + a[i * n + j + 1] + a[i * n - n + j] + a[i * n + n + j]);
    most = MAX(most, fabsf(b[i * n + j] - a[i * n + j]));
}))
BOTH(of_both_ends, {
    float low = 1e30f, high = -1e30f;
    for (int i = 0; i < n; i++) {
        float one = a[i] - a[n - 1 - i] / 3;
        if (i % 3 != 1) low = MIN(low, one);
        high = MAX(high, one + 1);
    }
    out[0] = low;
    out[1] = high;
})
BOTH(of_sums, RETURNS(float, m, -3, for (int i = 0; i < n; i++) {
    float sum = 0;
    float part[3];
    for (int k = 0; k < 3; k++) part[k] = a[i + k] * k;
    for (int k = 0; k < 3; k++) {
        sum += part[k];
        m = MAX(m, sum);
    }
}))
BOTH(of_what_changes, RETURNS(float, m, 0, for (int i = 0; i < n; i++) {
    float change = a[i] - b[i];
    b[i] += change * 0.5f;
    m = MAX(m, fabsf(change));
}))
BOTH(while_it_walks, RETURNS(float, m, -3, { const float *p = a; for (int i = 0; i < n; i++, p += 2) m = MAX(m, *p); }))
BOTH(one_by_one, {
    float most = NAN, least = a[0];
    for (int i = 0; i < n; i++) most = MAX(most, a[i]);
    for (int i = 0; i < n; i++) least = MIN(least, a[i] + most);
    for (int i = 0; i < n; i++) b[i] = a[i] / (most - least);
    out[0] = most, out[1] = least;
})

static void of_structs(int n, struct grid *g, double *out)
{
    float m = 0;
#pragma acc kernels
    for (int i = 1; i < g->n; i++) {
        g->next[i] = 0.5f * (g->now[i - 1] + g->now[i]);
        m = MAX(m, g->next[i] - g->now[i]);
    }
    out[0] = m;
}

static void of_structs_plainly(int n, struct grid *g, double *out)
{
    float m = 0;
    for (int i = 1; i < g->n; i++) {
        g->next[i] = 0.5f * (g->now[i - 1] + g->now[i]);
        m = MAX(m, g->next[i] - g->now[i]);
    }
    out[0] = m;
}
static void grids(int n, const float *restrict a, float *restrict b, double *restrict out)
{
    struct grid g = {n, (float *)a, b};
    of_structs(n, &g, out);
}
static void grids_plainly(int n, const float *restrict a, float *restrict b, double *restrict out)
{
    struct grid g = {n, (float *)a, b};
    of_structs_plainly(n, &g, out);
}
/* what is taken of b is another row's by then */
BOTH(of_what_goes_on, RETURNS(float, m, 0, for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
    b[j] = a[i * n + j] - i;
    m = MAX(m, b[(j + 1) % n]);
}))

typedef void loops(int, const float *restrict, float *restrict, double *restrict);

static int differs(double one, double other) { return isnan(one) ? !isnan(other) : one != other; }

static int wrong(loops *ours, loops *plain)
{
    static const int sizes[] = {SIZES}, places[] = {-1, 0, 3, 62, 63, 194, 5000, 37400};
    int found_wrong = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (unsigned k = 0; k < sizeof places / sizeof *places; k++) {
            for (int i = 0; i < N * N; i++) x[i] = 1 + i * 7919 % 1009 * 0.03f;
            if (places[k] >= 0) x[places[k]] = NAN;
            if (k % 3 == 1) x[places[k] / 2 + 1] = NAN;
            for (int way = 0; way < 2; way++) {
                found[way][0] = found[way][1] = 0;
                for (int i = 0; i < N * N; i++) y[way][i] = i % 10;
                (way ? plain : ours)(sizes[s], x, y[way], found[way]);
            }
            int bad = differs(found[0][0], found[1][0]) || differs(found[0][1], found[1][1]);
            for (int i = 0; i < N * N; i++) bad |= differs(y[0][i], y[1][i]);
            found_wrong += bad;
        }
    }
    return found_wrong;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d ", WRONG(of_a_row), WRONG(with_doubles), WRONG(of_rows));
    printf("%d %d %d ", WRONG(of_what_is_stored), WRONG(of_both_ends), WRONG(of_sums));
    printf("%d %d %d ", WRONG(of_what_changes), WRONG(while_it_walks), WRONG(one_by_one));
    printf("%d %d\n", WRONG(grids), WRONG(of_what_goes_on));
}
