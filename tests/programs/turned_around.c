// Pointers and numbers that loops turn around: arrays that change places after each step, and what alternates.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 249
// natively launches: 322
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef STEPS
#define STEPS 1, 2, 3, 4, 7
#endif

enum { N = 40, M = 30, CELLS = N * M };
#define SWAP(type, a, b)                                                                                               \
    do {                                                                                                               \
        type kept_ = a;                                                                                                \
        a = b;                                                                                                         \
        b = kept_;                                                                                                     \
    } while (0)

static float one[2][CELLS], two[2][CELLS], three[2][CELLS];
static int numbers[2];

#define BOTH(name, pragma, ...)                                                                                        \
    static const float *name(int steps, float *u, float *v, float *w, int *number) { _Pragma(pragma) __VA_ARGS__ }     \
    static const float *name##_plainly(int steps, float *u, float *v, float *w, int *number) { __VA_ARGS__ }

#define SWEEP(to, from)                                                                                                \
    for (int i = 1; i < N - 1; i++)                                                                                    \
        for (int j = 1; j < M - 1; j++)                                                                                \
            to[i * M + j] = 0.25f * (from[(i - 1) * M + j] + from[(i + 1) * M + j] + from[i * M + j - 1] + from[i * M + j + 1]);

BOTH(swapped, "acc kernels", for (int t = 0; t < steps; t++) {
    SWEEP(v, u)
    float *kept = u;
    u = v;
    v = kept;
} return u;)

BOTH(by_macro, "acc kernels", for (int t = steps; t > 0; t -= 3) {
    SWEEP(v, u)
    SWAP(float *, u, v);
} return v;)

BOTH(first_of_all, "acc kernels", for (int t = 1; t <= steps; ++t) {
    SWAP(float *, u, v);
    SWEEP(v, u)
} return u;)

/* a leapfrog: three arrays, with a pointer that was declared before */
static const float *leapfrog(int steps, float *before, float *now, float *next, int *number)
{
    float *kept;
#pragma acc kernels
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++) {
                float around = now[(i - 1) * M + j] + now[(i + 1) * M + j] + now[i * M + j - 1] + now[i * M + j + 1];
                next[i * M + j] = 2 * now[i * M + j] - before[i * M + j] + 0.125f * (around - 4 * now[i * M + j]);
            }
        kept = before;
        before = now;
        now = next;
        next = kept;
    }
    *number = before == one[1];
    return now;
}
static const float *leapfrog_plainly(int steps, float *before, float *now, float *next, int *number)
{
    float *kept;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++) {
                float around = now[(i - 1) * M + j] + now[(i + 1) * M + j] + now[i * M + j - 1] + now[i * M + j + 1];
                next[i * M + j] = 2 * now[i * M + j] - before[i * M + j] + 0.125f * (around - 4 * now[i * M + j]);
            }
        kept = before;
        before = now;
        now = next;
        next = kept;
    }
    *number = before == one[0];
    return now;
}

/* members, of what a pointer leads to and of a variable */
typedef struct {
    int rows;
    float *now, *next;
} grid;

static void step_grid(grid *restrict g, int steps)
{
#pragma acc kernels
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < g->rows - 1; i++)
            for (int j = 1; j < M - 1; j++)
                g->next[i * M + j] = 0.5f * (g->now[(g->rows - 1 - i) * M + j] + g->now[i * M + M - 1 - j]);
        SWAP(float *, g->now, g->next);
    }
}
static void step_grid_plainly(grid *restrict g, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < g->rows - 1; i++)
            for (int j = 1; j < M - 1; j++)
                g->next[i * M + j] = 0.5f * (g->now[(g->rows - 1 - i) * M + j] + g->now[i * M + M - 1 - j]);
        SWAP(float *, g->now, g->next);
    }
}
static const float *members(int steps, float *u, float *v, float *w, int *number)
{
    grid g = {N, u, v};
    step_grid(&g, steps);
    *number = g.next == u;
    return g.now;
}
static const float *members_plainly(int steps, float *u, float *v, float *w, int *number)
{
    grid g = {N, u, v};
    step_grid_plainly(&g, steps);
    *number = g.next == u;
    return g.now;
}

BOTH(of_a_variable, "", {
    grid g = {N, u, v};
    _Pragma("acc kernels") for (int t = 0; t < steps; t++)
    {
        SWEEP(g.next, g.now)
        SWAP(float *, g.now, g.next);
    }
    u = g.now;
} return u;)

/* pointers of the region's own, and a sum of each step beside them */
BOTH(of_its_own, "acc kernels", {
    float *from = u;
    float *to = v;
    for (int t = 0; t < steps; t++) {
        SWEEP(to, from)
        for (int i = 0; i < CELLS; i++)
            w[i] += to[i];
        SWAP(float *, from, to);
    }
} return w;)

/* pointers that nobody changes afterwards, and another loop before */
BOTH(behind_another, "acc kernels", {
    for (int i = 0; i < CELLS; i++)
        v[i] = u[i];
    for (int t = 0; t < steps; t++) {
        SWEEP(v, u)
        SWAP(float *, u, v);
    }
} return w;)

/* what one variable says of an array of two */
#define PLANES(now, next)                                                                                              \
    for (int i = 1; i < N / 2 - 1; i++)                                                                                \
        for (int j = 1; j < M - 1; j++)                                                                                \
            u[(next * N / 2 + i) * M + j] = 0.5f * (u[(now * N / 2 + i - 1) * M + j] + u[(now * N / 2 + i) * M + j + 1]);

BOTH(one_less, "acc kernels", {
    int now = 0;
    for (int t = 0; t < steps; t++) {
        int next = 1 - now;
        PLANES(now, next)
        now = next;
    }
} return u;)

static int current;
BOTH(from_outside, "", {
    int now = current & 1;
    int next = 1 - now;
    _Pragma("acc kernels") for (int t = 0; t < steps; t++)
    {
        PLANES(now, next)
        SWAP(int, now, next);
    }
    *number = 10 * now + next;
} return u;)

BOTH(other_bit, "acc kernels", {
    int now = 1;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < N; i++)
            u[i * M + now] += v[i * M + (now ^ 1)];
        now ^= 1;
    }
} return u;)

/* a sign that changes, and what wraps around */
BOTH(signs, "acc kernels", {
    float sign = 1;
    int other = 3;
    unsigned char small = 10;
    for (int i = 0; i < steps * 10; i++) {
        w[i] = sign * u[i] + (float)(other + small);
        sign = -sign;
        small = (unsigned char)(300 - small);
        other = 7 - other;
    }
} return w;)

/* what stays on the host: the places depend on data, or there is no end to it */
BOTH(by_data, "acc kernels", for (int t = 0; t < steps; t++) {
    SWEEP(v, u)
    if (u[5] > v[5])
        SWAP(float *, u, v);
} return u;)

BOTH(twice, "acc kernels", for (int s = 0; s < 2; s++) {
    for (int t = 0; t < steps; t++) {
        SWEEP(v, u)
        SWAP(float *, u, v);
    }
} return u;)

BOTH(read_behind, "acc kernels", {
    for (int t = 0; t < steps; t++) {
        SWEEP(v, u)
        SWAP(float *, u, v);
    }
    for (int i = 0; i < CELLS; i++)
        w[i] = u[i] - v[i];
} return w;)

typedef const float *step(int, float *, float *, float *, int *);

/* how many elements, results and numbers differ, over several numbers of steps */
static int wrong(step *ours, step *plain)
{
    static const int steps[] = {STEPS};
    int found = 0;
    for (unsigned k = 0; k < sizeof steps / sizeof *steps; k++) {
        for (int i = 0; i < CELLS; i++)
            for (int b = 0; b < 2; b++) {
                one[b][i] = (float)((i * 7 + 3) % 101);
                two[b][i] = (float)(i % 13);
                three[b][i] = (float)(i % 17);
            }
        current = (int)k;
        numbers[0] = numbers[1] = 0;
        const float *a = plain(steps[k], one[0], two[0], three[0], &numbers[0]);
        const float *b = ours(steps[k], one[1], two[1], three[1], &numbers[1]);
        int ways[2] = {a == one[0] ? 1 : a == two[0] ? 2 : 3, b == one[1] ? 1 : b == two[1] ? 2 : 3};
        found += ways[0] != ways[1] || numbers[0] != numbers[1];
        found += memcmp(one[0], one[1], sizeof *one) != 0 || memcmp(two[0], two[1], sizeof *two) != 0;
        found += memcmp(three[0], three[1], sizeof *three) != 0;
    }
    return found;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d %d ", WRONG(swapped), WRONG(by_macro), WRONG(first_of_all), WRONG(leapfrog));
    printf("%d %d ", WRONG(members), WRONG(of_a_variable));
    printf("%d %d %d %d %d ", WRONG(of_its_own), WRONG(behind_another), WRONG(one_less), WRONG(from_outside), WRONG(other_bit));
    printf("%d %d %d %d\n", WRONG(signs), WRONG(by_data), WRONG(twice), WRONG(read_behind));
}
