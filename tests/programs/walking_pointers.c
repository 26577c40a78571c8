// Pointers and numbers of the program that a region moves, and scalars that keep what the iteration before had, against
// the loops as they are written: all that moved is looked at behind the regions.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 52
#include <stdio.h>
#include <string.h>

#ifndef SIZES
#define SIZES 16, 33, 50, 257
#endif

enum { N = 257, ROOM = 4 * N };
static float a[2 * ROOM], got[2 * ROOM], wanted[2 * ROOM];

#define BOTH(type, name, parameters, begin, pragma, end, ...)                                                          \
    static type name parameters                                                                                        \
    {                                                                                                                  \
        begin _Pragma(pragma) __VA_ARGS__ end                                                                          \
    }                                                                                                                  \
    static type name##_plainly parameters { begin __VA_ARGS__ end }

BOTH(long, along, (int n, const float *x, float *y), const float *x0 = x; float *y0 = y;, "acc kernels",
     return (x - x0) + 1000 * (y - y0);, for (int i = 0; i < n; i++) *y++ = 2 * *x++;)

/* rows that are a little longer than what is used of them */
BOTH(long, rows, (int n, const float *x, float *y), const float *p = x + 1; float *q = y;, "acc kernels",
     return (p - x) + 1000 * (q - y);, for (int i = 0; i < n / 8; i++) {
         for (int j = 0; j < 5; j++) {
             q[0] = p[0] - p[1];
             q += 2;
             ++p;
         }
         p += 3;
     })

BOTH(long, back, (int n, const float *x, float *y), float *q = y + n;, "acc kernels", return q - y;
     , for (int i = n; i-- > 0;) *--q = x[i] * i;)

/* up to an end that the caller tells */
BOTH(long, until, (int n, const float *x, float *y), const float *end = x + n; float *q = y;, "acc kernels",
     return q - y;, while (x < end) *q++ = *x++ + 1;)

BOTH(long, unlike, (int n, const float *x, float *y), const float *end = x + n; float *q = y;, "acc kernels",
     return q - y;, for (const float *p = x; p != end; ++p, q += 3) *q = *p;)

/* what is stored through a pointer is no change of it */
BOTH(long, in_place, (int n, const float *x, float *y), y += 3; float *end = y + n; const float *y0 = y;,
     "acc kernels", return y - y0 + n * (y - end);, while (y < end) { *y = *y * 2 + n; y++; })

/* numbers begin and end outside, twice in one region */
BOTH(long, counted, (int n, const float *x, float *y), int k = 2; long l = n;, "acc kernels", return k + 1000 * l;, {
    for (int i = 0; i < n; i++) y[k++] = x[i];
    k += 3;
    for (int i = 0; i < n; i++) {
        y[k] = x[l];
        k += 2;
        l--;
    }
})

/* what the iteration before had: of arrays, of a ring, and further back */
BOTH(long, before, (int n, const float *restrict x, float *restrict y), float last = x[0];, "acc kernels", return 0;
     , for (int i = 1; i < n; i++) {
         float here = x[i];
         y[i] = here - last;
         last = here;
     })

BOTH(long, ring, (int n, const float *restrict x, float *restrict y), int left = n - 1;, "acc kernels", return 0;
     , for (int i = 0; i < n; i++) {
         y[i] = x[left] + x[i];
         left = i;
     })

BOTH(long, window, (int n, const float *restrict x, float *restrict y), float p = x[0] + 1; float q = x[1];
     , "acc kernels", return 0;, for (int i = 0; i < n; i += 2) {
         float r = x[i + 2];
         y[i] = (p + q) * r;
         p = q;
         q = r;
     })

/* each row begins anew */
BOTH(long, in_rows, (int n, const float *restrict x, float *restrict y), , "acc kernels", return 0;
     , for (int j = 0; j < n / 16; j++) {
         float last = 0;
         int at = 5;
         for (int i = 0; i < 16; i++) {
             float change = x[16 * j + i] - last;
             y[16 * j + i] = change + x[at];
             last = x[16 * j + i];
             at = i;
         }
     })

/* parameters of functions walk, too, up to an end that they begin with */
static float total(const float *p, int n)
{
    float sum = 0;
    while (n--)
        sum += *p++ * n;
    return sum;
}

static void twice(float *p, int n)
{
    const float *end = p + n;
    while (p < end)
        *p++ *= 2;
}

BOTH(long, functions, (int n, const float *x, float *y), , "acc kernels", return 0;, for (int i = 0; i < n / 8; i++) {
    y[8 * i] = total(x + 8 * i, 8);
    twice(y + 8 * i, 3);
})

/* memory without a type, in a struct without one */
struct state {
    int count;
};

BOTH(long, untyped, (int n, const void *x, void *y), struct state kept;
     kept.count = n; void *state = &kept;, "acc kernels", return 0;
     , for (int i = 0; i < ((struct state *)state)->count; i++) ((float *)y)[i] = 3 * ((const float *)x)[i];)

static int differ(long first, long other)
{
    int found = first != other || memcmp(got, wanted, sizeof got) != 0;
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    return found;
}

int main(void)
{
    static const int sizes[] = {SIZES};
    int wrong[13] = {0};
    for (int i = 0; i < 2 * ROOM; i++)
        a[i] = (float)(i * 7 % 31) - 9;
    for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++) {
        int n = sizes[k];
        float *x = a + ROOM, *y = got + ROOM, *z = wanted + ROOM;
#define CHECK(number, name) wrong[number] += differ(name(n, x, y), name##_plainly(n, x, z));
        CHECK(0, along)
        CHECK(1, rows)
        CHECK(2, back)
        CHECK(3, until)
        CHECK(4, unlike)
        CHECK(5, counted)
        CHECK(6, before)
        CHECK(7, ring)
        CHECK(8, window)
        CHECK(9, in_rows)
        CHECK(10, functions)
        CHECK(11, untyped)
        CHECK(12, in_place)
    }
    for (int k = 0; k < 13; k++)
        printf("%d%c", wrong[k], k == 12 ? '\n' : ' ');
    return 0;
}
