// Subscripts, bounds and conditions made of the bits of iterators.
// prints: 0 0 0 0 0
// launches: 384
#include <stdio.h>
#include <string.h>

enum { N = 300 };
static int a[2][2 * N], b[2][2 * N];

#define BOTH(name, ...)                                                                                                \
    static void name(int n, int *restrict x, int *restrict y) { _Pragma("acc kernels") __VA_ARGS__ }                   \
    static void name##_plainly(int n, int *restrict x, int *restrict y) { __VA_ARGS__ }

/* neighbours change places, first those from even numbers on */
BOTH(odd_and_even, for (int pass = 0; pass < n; pass++) for (int i = pass & 1; i + 1 < n; i += 2) if (x[i] > x[i + 1]) {
    int kept = x[i];
    x[i] = x[i + 1];
    x[i + 1] = kept;
})
BOTH(neighbours, for (int i = 0; i < n; i++) y[i ^ 1] = x[i] + n;)
BOTH(below_zero, for (int i = -n; i < n; i++) y[i + n] = x[(i >> 3) + n] - x[i & 7];)
BOTH(of_unsigned, for (unsigned i = 0; i < (unsigned)n; i++) if ((i & 3) == 2) y[i >> 2] = x[i & 15] + n;)
BOTH(in_rows, for (int i = 0; i < n / 8; i++) for (int j = i & 3; j < 8; j++) y[(i << 3) + (j ^ 1)] += x[(i >> 1) + (j & 3)] * n;)

typedef void loops(int, int *restrict, int *restrict);

static int wrong(loops *ours, loops *plain)
{
    static const int sizes[] = {9, 64, 299};
    int found = 0;
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int way = 0; way < 2; way++) {
            for (int i = 0; i < 2 * N; i++) {
                a[way][i] = i * 7919 % 1009;
                b[way][i] = i;
            }
            (way ? plain : ours)(sizes[k], a[way], b[way]);
        }
        found += memcmp(a[0], a[1], sizeof *a) != 0 || memcmp(b[0], b[1], sizeof *b) != 0;
    }
    return found;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d ", WRONG(odd_and_even), WRONG(neighbours), WRONG(below_zero));
    printf("%d %d\n", WRONG(of_unsigned), WRONG(in_rows));
}
