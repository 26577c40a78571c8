// Counts and sums of integers in elements that the data choose, in kernels that say nothing of them.
// prints: 0 0 0 0 0 0 0
// launches: 7
#include <stdio.h>
#include <string.h>

enum { N = 30000 };
static unsigned char bytes[N], text[N];
static int which[N], counts[2][256];
static long long sums[2][16];
static unsigned flags[2][256];
static short least[2][128];

#define BOTH(name, ...)                                                                                                \
    static void name(int n, int way)                                                                                   \
    {                                                                                                                  \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(int n, int way) { __VA_ARGS__ }

BOTH(of_bytes, for (int i = 0; i < n; i++) counts[way][bytes[i]]++;)
BOTH(of_letters, for (int i = 0; i < n; i++) if (text[i] >= 'a' && text[i] <= 'z') counts[way][text[i] - 'a'] += 2;)
BOTH(of_remainders, for (int i = 0; i < n; i++) sums[way][which[i] & 15] += bytes[i] - 100;)
BOTH(of_bits, for (int i = 0; i < n; i++) flags[way][bytes[i]] |= 1u << (i & 31);)
BOTH(of_extremes, for (int i = n - 1; i >= 0; i--) if (which[i] % 3000 < least[way][bytes[i] & 127]) least[way][bytes[i] & 127] = which[i] % 3000;)
/* counts begin anew, and what is below each is added up behind */
BOTH(with_sums_behind, {
    for (int i = 0; i < 256; i++) counts[way][i] = i % 3;
    for (int i = 0; i < n; i++) counts[way][bytes[i]]++;
    for (int i = 1; i < 256; i++) counts[way][i] += counts[way][i - 1];
})
/* where each goes depends on those before it */
BOTH(places, for (int i = 0; i < n; i++) which[i] += counts[way][bytes[i]]++;)

typedef void loops(int, int);

static int wrong(loops *ours, loops *plain)
{
    static int kept[2][N];
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < N; i++) {
            bytes[i] = i * 2654435761u >> 24, text[i] = 32 + bytes[i] % 96, which[i] = i * 2654435761u >> 9;
        }
        for (int i = 0; i < 256; i++) counts[way][i] = 5 * i, flags[way][i] = i, least[way][i / 2] = 2000, sums[way][i / 16] = i;
        (way ? plain : ours)(N, way);
        memcpy(kept[way], which, sizeof which);
    }
    return memcmp(counts[0], counts[1], sizeof *counts) || memcmp(sums[0], sums[1], sizeof *sums) ||
           memcmp(flags[0], flags[1], sizeof *flags) || memcmp(least[0], least[1], sizeof *least) ||
           memcmp(kept[0], kept[1], sizeof *kept);
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d %d ", WRONG(of_bytes), WRONG(of_letters), WRONG(of_remainders), WRONG(of_bits));
    printf("%d %d %d\n", WRONG(of_extremes), WRONG(with_sums_behind), WRONG(places));
}
