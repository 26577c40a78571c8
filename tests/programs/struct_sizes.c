// Sizes in structs, by value and by pointer, and in variables that all functions know, in all that is told from sizes.
// prints: 0 0 0 0 0 0 0 0 0 0 0
// launches: 63
#include <stdio.h>
#include <string.h>

#ifndef SIZES
#define SIZES {7, 9, 1}, {40, 30, 3}, {64, 21, 2}
#endif
enum { MOST = 64 * 40 * 3 };
typedef struct {
    int w, h, c;
    float *data;
} image;
typedef struct {
    int w, h, stride;
    unsigned char *px;
} bytes;
typedef struct {
    struct {
        unsigned rows, columns;
    } size;
    int *data;
    int seen;
} matrix;
static float floats[2][2][MOST];
static unsigned char chars[2][2][MOST];
static int numbers[2][2][MOST], found[2][2];
static image one, two;
static bytes from, into;
static matrix left, right;
static int total;

static inline float get(image m, int x, int y, int c) { return m.data[c * m.h * m.w + y * m.w + x]; }
static inline void set(image m, int x, int y, int c, float v) { m.data[c * m.h * m.w + y * m.w + x] = v; }

#define BOTH(name, ...)                                                                                                \
    static void name(image a, image *b, bytes *s, bytes *t, matrix *m, matrix *n, int *out)                            \
    {                                                                                                                  \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(image a, image *b, bytes *s, bytes *t, matrix *m, matrix *n, int *out) { __VA_ARGS__ }

BOTH(flipped, for (int k = 0; k < a.c; ++k) for (int i = 0; i < a.h; ++i) for (int j = 0; j < a.w / 2; ++j) {
    int index = j + a.w * (i + a.h * k);
    int flip = (a.w - j - 1) + a.w * (i + a.h * k);
    float kept = a.data[flip];
    a.data[flip] = a.data[index];
    a.data[index] = kept;
})
BOTH(blurred, for (int y = 1; y < a.h - 1; y++) for (int x = 1; x < a.w - 1; x++) {
    int at = y * a.w + x;
    b->data[at] = (a.data[at - 1] + a.data[at + 1] + a.data[at - a.w] + a.data[at + a.w]) * 0.25f;
})
BOTH(summed, for (int c = 0; c < a.c; c++) {
    int out_index = c + 0 * a.c;
    b->data[out_index] = 0;
    for (int i = 0; i < a.h * a.w; ++i) b->data[out_index] += a.data[i + a.h * a.w * c];
})
BOTH(by_walks, for (int y = 0; y < s->h; y++) {
    unsigned char *p = s->px + y * s->stride;
    unsigned char *q = t->px + y * t->stride;
    for (int x = 0; x < s->w; x++) *q++ = 255 - *p++;
})
BOTH(with_accessors, for (int j = 0; j < a.h; j++) for (int i = 0; i < a.w; i++)
    set(*b, i, j, 0, 0.5f * get(a, i, j, 0) + 0.25f * get(a, i, j, a.c - 1));)
BOTH(of_numbers, for (unsigned i = 0; i < m->size.rows; i++) for (unsigned j = 0; j < m->size.columns; j++)
    n->data[j * n->size.columns + i] = m->data[i * m->size.columns + j] * 3;)
BOTH(largest, {
    float best = a.data[0];
    int at = 0;
    for (int i = 1; i < a.w * a.h; i++) if (a.data[i] > best) {
        best = a.data[i];
        at = i;
    }
    out[0] = at;
})
BOTH(along, {
    int k = 0;
    for (int j = 0; j < a.h; j++) for (int i = 0; i < a.w; i++) a.data[k++] += j - i;
    out[0] = k;
})
BOTH(up_to_a_global, {
    float least = a.data[0];
    int at = 0;
    for (int i = 1; i < total; i++) if (a.data[i] < least) {
        least = a.data[i];
        at = i;
    }
    out[1] = at;
})
BOTH(walking_to_a_global, {
    const unsigned char *p = s->px;
    unsigned char *q = t->px;
    for (int i = 0; i < total; i++) *q++ = *p++ ^ 3;
})
/* one of the sizes is stored to */
BOTH(growing, for (unsigned i = 0; i < m->size.rows; i++) {
    n->data[i] = m->data[i] + (int)m->size.columns;
    m->size.columns += i & 1;
    m->seen++;
})

typedef void loops(image, image *, bytes *, bytes *, matrix *, matrix *, int *);

static int wrong(loops *ours, loops *plain)
{
    static const int sizes[][3] = {SIZES};
    int bad = 0;
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int w = sizes[k][0], h = sizes[k][1], c = sizes[k][2];
        matrix shapes[2];
        for (int way = 0; way < 2; way++) {
            for (int i = 0; i < MOST; i++) {
                floats[way][0][i] = i * 7 % 101, floats[way][1][i] = i % 7;
                chars[way][0][i] = i * 3, chars[way][1][i] = i, numbers[way][0][i] = i % 17, numbers[way][1][i] = i;
            }
            memset(found[way], 0, sizeof found[way]);
            one = (image){w, h, c, floats[way][0]}, two = (image){w, h, c, floats[way][1]};
            from = (bytes){w, h, w + 3, chars[way][0]}, into = (bytes){w, h, w, chars[way][1]};
            left = (matrix){{h, w}, numbers[way][0], 0}, right = (matrix){{w, h}, numbers[way][1], 0};
            total = w * h;
            (way ? plain : ours)(one, &two, &from, &into, &left, &right, found[way]);
            shapes[way] = left;
        }
        bad += memcmp(floats[0], floats[1], sizeof *floats) || memcmp(chars[0], chars[1], sizeof *chars) ||
               memcmp(numbers[0], numbers[1], sizeof *numbers) || memcmp(found[0], found[1], sizeof *found) ||
               shapes[0].size.columns != shapes[1].size.columns || shapes[0].seen != shapes[1].seen;
    }
    return bad;
}

int main(void)
{
#define WRONG(name) wrong(name, name##_plainly)
    printf("%d %d %d %d ", WRONG(flipped), WRONG(blurred), WRONG(summed), WRONG(by_walks));
    printf("%d %d %d ", WRONG(with_accessors), WRONG(of_numbers), WRONG(largest));
    printf("%d %d ", WRONG(along), WRONG(growing));
    printf("%d %d\n", WRONG(up_to_a_global), WRONG(walking_to_a_global));
}
