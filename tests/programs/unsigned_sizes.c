// Sizes, iterators and places that are unsigned, some of them taken from others.
// prints: 0 0 0 0 0 0 0
// launches: 28
#include <stdio.h>
#include <string.h>

enum { N = 64 * 64 };
static int a[N], got[N], wanted[N];

#define BOTH(name, ...)                                                                                                \
    static void name(unsigned w, unsigned h, unsigned j, const int *restrict x, int *restrict y)                       \
    {                                                                                                                  \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(unsigned w, unsigned h, unsigned j, const int *restrict x, int *restrict y)             \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

BOTH(walking, for (unsigned i = 0; i < w; ++i)
         for (unsigned k = j; k < h; k++) {
             y[0] = x[k * 64 + i] << 2;
             y++;
         })

BOTH(from_j, for (unsigned i = 0; i < w; ++i)
         for (unsigned k = j; k < h; k++) y[i * (h - j) + (k - j)] = x[k * 64 + i];)

BOTH(wide, for (unsigned i = 0; i < w; ++i)
         for (unsigned k = j; k < h; k++) y[(long)i * ((long)h - j) + ((long)k - j)] = x[k * 64 + i];)

BOTH(turned, for (unsigned i = 0; i < h; ++i)
         for (unsigned k = 0; k < w; k++) y[(h - 1 - i) * w + (w - 1 - k)] = x[i * w + k];)

BOTH(falling, for (unsigned i = h; i-- > j;)
         for (unsigned k = w; k > 0; k--) y[(i - j) * w + k - 1] = x[i * w + w - k];)

BOTH(flat, for (unsigned i = 0; i < (h - j) * w; i++) y[i] = x[i + j * w];)

BOTH(before, for (unsigned i = j; i < h; i++)
         for (unsigned k = 1; k < w; k++) y[(i - j) * w + k] = x[i * w + k] - x[(i - 1) * w + (k - 1)];)

static int differ(void)
{
    int found = memcmp(got, wanted, sizeof got) != 0;
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    return found;
}

int main(void)
{
    static const unsigned sizes[][3] = {{20, 18, 16}, {64, 61, 60}, {33, 40, 3}, {7, 50, 1}};
    int wrong[7] = {0};
    for (int i = 0; i < N; i++)
        a[i] = i * 7 % 31 - 9;
    for (int k = 0; k < 4; k++) {
        unsigned w = sizes[k][0], h = sizes[k][1], j = sizes[k][2];
#define CHECK(number, name)                                                                                            \
    name(w, h, j, a, got);                                                                                             \
    name##_plainly(w, h, j, a, wanted);                                                                                \
    wrong[number] += differ();
        CHECK(0, walking)
        CHECK(1, from_j)
        CHECK(2, wide)
        CHECK(3, turned)
        CHECK(4, falling)
        CHECK(5, flat)
        CHECK(6, before)
    }
    for (int k = 0; k < 7; k++)
        printf("%d%c", wrong[k], k == 6 ? '\n' : ' ');
    return 0;
}
