// Loops that run in order, around others, in only some of the iterations around them.
// prints: 0 0 0 0 0
// launches: 1440
#include <stdio.h>
#include <string.h>

enum { N = 12, M = 20 };
static double one[2][N][M], two[2][N][M];
typedef struct {
    int rows;
    int every;
} sizes;

#define BOTH(name, ...)                                                                                                \
    static void name(int first, int steps, const sizes *s, double (*restrict A)[M], double (*restrict B)[M])           \
    {                                                                                                                  \
        int n = s->rows;                                                                                               \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(int first, int steps, const sizes *s, double (*restrict A)[M], double (*restrict B)[M]) \
    {                                                                                                                  \
        int n = s->rows;                                                                                               \
        __VA_ARGS__                                                                                                    \
    }

/* neither rows nor columns are independent of one another */
#define DOWN(to, from, end)                                                                                            \
    for (int i = 1; i < end; i++)                                                                                      \
        for (int j = 1; j < M - 1; j++)                                                                                \
            to[i][j] = 0.25 * (to[i - 1][j - 1] + to[i - 1][j + 1]) + 0.5 * from[i][j];

BOTH(by_turns, for (int t = first; t < steps; t++) {
    if (t % 2 == 0) {
        DOWN(A, B, n)
    } else {
        DOWN(B, A, n)
    }
})

BOTH(every_third, for (int t = first; t < steps; t++) {
    if (t % 3)
        DOWN(A, B, n)
    DOWN(B, A, n - 1)
})

BOTH(from_one_on, for (int t = first; t < steps; t++) {
    DOWN(A, B, n)
    if (t > n / 8 && t != 3)
        DOWN(B, A, n)
})

BOTH(of_a_struct, for (int t = first; t < steps; t++) {
    if (t % 2 == 0)
        DOWN(A, B, s->rows)
    if (t % 4 == 1)
        DOWN(B, A, s->rows)
})

BOTH(one_in_another, for (int t = first; t < steps; t++)
    for (int k = 0; k < 3; k++)
        if ((t + k) % 2 == 0) {
            DOWN(A, B, n)
        } else if (k) {
            DOWN(B, A, n)
        })

typedef void loops(int, int, const sizes *, double (*)[M], double (*)[M]);

static int wrong(loops *ours, loops *plain)
{
    int found = 0;
    for (int first = -1; first < 2; first++)
        for (int steps = 0; steps < 6; steps += 1 + (first == 1)) {
            sizes s = {N - steps, 2};
            for (int b = 0; b < 2; b++)
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < M; j++) {
                        one[b][i][j] = (i * 7 + j * 3) % 11;
                        two[b][i][j] = (i * 5 + j) % 13;
                    }
            plain(first, steps, &s, one[0], two[0]);
            ours(first, steps, &s, one[1], two[1]);
            found += memcmp(one[0], one[1], sizeof *one) != 0 || memcmp(two[0], two[1], sizeof *two) != 0;
        }
    return found;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d ", WRONG(by_turns), WRONG(every_third), WRONG(from_one_on));
    printf("%d %d\n", WRONG(of_a_struct), WRONG(one_in_another));
}
