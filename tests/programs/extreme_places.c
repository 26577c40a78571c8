// Where the greatest or the least of something is: the first or the last of equal ones, as the program has it.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 1360
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef SIZES
#define SIZES 3, 31, 64, 700
#endif

enum { N = 700, ROWS = 23, COLUMNS = 29 };
static double doubles[N], others[N];
static float floats[N], plane[ROWS][COLUMNS];
static int ints[N];
static unsigned char bytes[N];
static struct {
    float x, y;
} points[N];

typedef struct {
    double best, more;
    int at, row, column;
} result;

#define BOTH(name, pragma, ...)                                                                                        \
    static result name(int n)                                                                                          \
    {                                                                                                                  \
        double best = 3;                                                                                               \
        float low = 100;                                                                                               \
        int at = -1, row = -2, column = -3, most = 0;                                                                  \
        double more = 0;                                                                                               \
        _Pragma(pragma) __VA_ARGS__ return (result){best + low, more + most, at, row, column};                         \
    }                                                                                                                  \
    static result name##_plainly(int n)                                                                                \
    {                                                                                                                  \
        double best = 3;                                                                                               \
        float low = 100;                                                                                               \
        int at = -1, row = -2, column = -3, most = 0;                                                                  \
        double more = 0;                                                                                               \
        __VA_ARGS__ return (result){best + low, more + most, at, row, column};                                         \
    }

BOTH(greatest, "acc kernels", for (int i = 0; i < n; i++) if (doubles[i] > best) {
    best = doubles[i];
    at = i;
})
BOTH(last_of_least, "acc kernels", for (int i = 0; i < n; i++) if (low >= floats[i]) {
    at = i;
    low = floats[i];
})
BOTH(downwards, "acc kernels", for (int i = n - 1; i >= 0; i--) if (best < doubles[i]) {
    best = doubles[i];
    at = i;
})
BOTH(in_steps, "acc kernels", for (int i = 5; i <= n - 1; i += 3) if (doubles[i] >= best) {
    best = doubles[i];
    at = i / 3;
})
BOTH(of_floats, "acc kernels", for (int i = 0; i < n; i++) if (floats[i] > best) {
    best = floats[i];
    at = i;
    more = others[i] - i;
})
BOTH(absolute, "acc kernels", for (int i = 1; i < n; i++) {
    double size = fabs(doubles[i] - others[i]);
    if (size > best) {
        best = size;
        at = i;
    }
})
BOTH(only_the_place, "acc kernels", {
    at = 0;
    for (int i = 1; i < n; i++)
        if (ints[i] < ints[at])
            at = i;
})
BOTH(only_the_last_place, "acc kernels", {
    at = 2;
    for (int i = 0; i < n; i++)
        if (fabs(doubles[i]) >= fabs(doubles[at]))
            at = i;
})
BOTH(in_a_plane, "acc kernels", for (int i = 0; i < ROWS && i < n; i++) for (int j = 1; j < COLUMNS; j++) if (plane[i][j] > best) {
    best = plane[i][j];
    row = i;
    column = j;
})
BOTH(last_in_a_plane, "acc kernels", for (int i = ROWS - 1; i >= 0; i--) for (int j = 0; j < n && j < COLUMNS; j += 2) {
    float here = plane[i][j] * 2;
    if (here <= low) {
        low = here;
        row = i;
        column = j;
    }
})
BOTH(nearest, "acc kernels", for (int i = 0; i < n; i++) {
    float x = points[i].x - 3, y = points[i].y - 4;
    float far = x * x + y * y;
    if (far < low) {
        low = far;
        at = i;
        more = points[i].x;
    }
})
BOTH(of_bytes, "acc kernels", for (int i = 0; i < n; i++) if (bytes[i] > most) {
    most = bytes[i];
    at = i;
})
/* each row by itself, in parallel */
BOTH(by_rows, "acc parallel loop reduction(+ : most)", for (int i = 0; i < ROWS; i++) {
    int here = 0;
    for (int j = 1; j < COLUMNS; j++)
        if (plane[i][j] > plane[i][here])
            here = j;
    most += here * (i + 1);
})
/* no search: what is kept is looked at by others */
BOTH(looked_at, "acc kernels", for (int i = 0; i < n; i++) if (doubles[i] > best) {
    best = doubles[i];
    at = i;
    more = more + best;
})

typedef result search(int);

static int wrong(search *ours, search *plain)
{
    static const int sizes[] = {SIZES};
    int found = 0;
    for (int kind = 0; kind < 5; kind++)
        for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (int i = 0; i < N; i++) {
                int value = kind == 0 ? i * 37 % 101 : kind == 1 ? 200 - i : kind == 2 ? 2 : kind == 3 ? i / 9 : -i % 7;
                doubles[i] = kind == 2 && i % 3 == 1 ? NAN : value;
                others[i] = i * 13 % 41;
                floats[i] = kind == 4 && i == 17 ? INFINITY : kind == 3 && i % 5 == 0 ? NAN : (float)value / 4;
                plane[i % ROWS][i / ROWS % COLUMNS] = (float)(value % 50);
                ints[i] = value - 30;
                bytes[i] = (unsigned char)value;
                points[i].x = (float)(value % 10);
                points[i].y = (float)(value % 7);
            }
            result a = ours(sizes[k]), b = plain(sizes[k]);
            found += !(a.best == b.best || (a.best != a.best && b.best != b.best)) || a.more != b.more;
            found += a.at != b.at || a.row != b.row || a.column != b.column;
        }
    return found;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d %d ", WRONG(greatest), WRONG(last_of_least), WRONG(downwards), WRONG(in_steps));
    printf("%d %d %d %d ", WRONG(of_floats), WRONG(absolute), WRONG(only_the_place), WRONG(only_the_last_place));
    printf("%d %d %d %d ", WRONG(in_a_plane), WRONG(last_in_a_plane), WRONG(nearest), WRONG(of_bytes));
    printf("%d %d\n", WRONG(by_rows), WRONG(looked_at));
}
