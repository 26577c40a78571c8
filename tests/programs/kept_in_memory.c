// Counts, sums and extremes in memory: through pointers, in structs, in elements of arrays.
// prints: 0 0 0 0 0 0 0 0 0
// launches: 93
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef SIZES
#define SIZES 60, 129, 3000
#endif
enum { N = 3000 };
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef struct {
    long sum;
    int count;
    float most, least;
    struct {
        short few[4];
        double product;
    } inner;
} numbers;
static int x[N];
static float f[N];
static numbers found[2];
static numbers *reached;

#define BOTH(name, ...)                                                                                                \
    static void name(int n, numbers *s, int *restrict a, const float *restrict b)                                     \
    {                                                                                                                  \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(int n, numbers *s, int *restrict a, const float *restrict b) { __VA_ARGS__ }

BOTH(counted, for (int i = 0; i < n; i++) if (b[i] > 0.5f) s->count++;)
BOTH(of_a_struct, for (int i = 0; i < n; i++) {
    if (b[i] > s->most) s->most = b[i];
    s->least = fminf(s->least, b[i]);
    s->count += a[i] & 1;
    s->sum -= a[i];
})
BOTH(of_elements, for (int i = 0; i < n; i++) {
    a[0] += b[i] > 3;
    a[1] = a[1] > (int)b[i] ? a[1] : (int)b[i];
    if (i % 3 == 0) a[2]++;
    s->inner.few[1] += i;
    s->inner.few[2] ^= i * 7;
})
BOTH(of_rows, for (int i = 0; i < n / 50; i++) for (int j = 0; j < 50; j++) s->sum += a[i * 50 + j] * j;)
BOTH(unless_nan, for (int i = 0; i < n; i++) s->most = MAX(s->most, b[i] - 1);)
BOTH(through_another, for (int i = 0; i < n; i++) reached->count += a[i];)
BOTH(two_at_once, {
    for (int i = 0; i < n; i++) s->sum += a[i];
    for (int i = 0; i < n; i++) if (a[i] > s->sum / (n + 1)) s->count++;
})
/* what is combined is looked at */
BOTH(looked_at, for (int i = 0; i < n; i++) {
    s->sum += a[i];
    a[i] = s->sum & 7;
})
/* which element changes, and one that meets all */
BOTH(moving, for (int i = 0; i < n; i++) {
    a[1] += b[i] > 2;
    a[i] += 3;
})

typedef void loops(int, numbers *, int *restrict, const float *restrict);

static int wrong(loops *ours, loops *plain)
{
    static const int sizes[] = {SIZES};
    static int kept[2][N];
    int bad = 0;
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int way = 0; way < 2; way++) {
            for (int i = 0; i < N; i++) x[i] = i * 7 % 13 - 2, f[i] = i * 5 % 11;
            memset(&found[way], 0, sizeof found[way]);
            found[way].count = 3, found[way].most = -4, found[way].least = 7, found[way].inner.few[1] = 9;
            reached = &found[way];
            (way ? plain : ours)(sizes[k], &found[way], x, f);
            memcpy(kept[way], x, sizeof x);
        }
        bad += memcmp(&found[0], &found[1], sizeof *found) || memcmp(kept[0], kept[1], sizeof x);
    }
    return bad;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d %d ", WRONG(counted), WRONG(of_a_struct), WRONG(of_elements), WRONG(of_rows));
    printf("%d %d %d ", WRONG(unless_nan), WRONG(through_another), WRONG(two_at_once));
    printf("%d %d\n", WRONG(looked_at), WRONG(moving));
}
