// prints: 0 wrong
// launches: 3
// Loops whose end only the data tells begin where they say: what is computed from their iterators is not below that.
#include <stdio.h>

enum { N = 203, SLOTS = 24 };

static int end[N], first[N], sums[N], counts[N];
static unsigned low[N];

int main(void)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        end[i] = i * 7 % 31;
        first[i] = i % 5;
    }
#pragma acc parallel loop copyin(end) copyout(sums)
    for (int i = 0; i < N; i++) {
        int s = 0;
        for (int j = 0; j < end[i]; j++)
            s += end[(unsigned)j % SLOTS];
        sums[i] = s;
    }
#pragma acc parallel loop copyin(end) copyout(counts)
    for (int i = 0; i < N; i++) {
        unsigned char slot[SLOTS];
        for (int k = 0; k < SLOTS; k++)
            slot[k] = 0;
        for (int j = 3; j <= end[i]; j += 2)
            slot[(unsigned)(j - 3) % SLOTS] += 1;
        counts[i] = slot[0] + 10 * slot[1] + 100 * slot[2];
    }
#pragma acc parallel loop copyin(first, end) copyout(low)
    for (int i = 0; i < N; i++) {
        unsigned s = 0;
        for (int j = SLOTS - 1; j >= first[i]; j--)
            s = s * 3 + (unsigned)(SLOTS - 1 - j) + end[j];
        low[i] = s;
    }
    for (int i = 0; i < N; i++) {
        int s = 0, c = 0;
        unsigned l = 0;
        for (int j = 0; j < end[i]; j++)
            s += end[j % SLOTS];
        unsigned char slot[SLOTS] = {0};
        for (int j = 3; j <= end[i]; j += 2)
            slot[(j - 3) % SLOTS] += 1;
        c = slot[0] + 10 * slot[1] + 100 * slot[2];
        for (int j = SLOTS - 1; j >= first[i]; j--)
            l = l * 3 + (SLOTS - 1 - j) + end[j];
        wrong += sums[i] != s || counts[i] != c || low[i] != l;
    }
    printf("%d wrong\n", wrong);
    return 0;
}
