// Sizes that are read through pointers, beside stores of numbers of their type: they are elsewhere, or the host's loops run.
// prints: 0 0 0 0 0 0
// launches: 5
#include <stdio.h>
#include <string.h>

enum { N = 40 };
typedef struct {
    int width, height;
    int *pixels;
    int darkest;
} image;
typedef struct {
    int rows, columns;
    int values[N * N];
} matrix;

#define BOTH(name, type, ...)                                                                                          \
    static void name(type *x, int *y, unsigned *z)                                                                     \
    {                                                                                                                  \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly(type *x, int *y, unsigned *z) { __VA_ARGS__ }

BOTH(inverted, image, for (int i = 0; i < x->height; i++) for (int j = 0; j < x->width; j++)
    x->pixels[i * x->width + j] = 255 - x->pixels[i * x->width + j];)
BOTH(in_place, matrix, for (int i = 0; i < x->rows; i++) for (int j = 0; j < x->columns; j++)
    x->values[i * x->columns + j] = x->values[i * x->columns + j] * 3 + j;)
BOTH(counted, int, for (int i = 0; i < *x; i++) z[i] = z[i] * 2 + i;)
BOTH(by_length, int, for (int i = 0; i < x[0]; i++) for (int j = 0; j < x[1]; j++) y[i * x[1] + j] *= 3;)
BOTH(changing, int, for (int i = 0; i < x[0]; i++) { x[i / 2] += y[i] & 1; y[i]++; })
BOTH(with_own_numbers, image, for (int i = 0; i < x->width; i++) { int one = i * 2; one += *y; x->pixels[i] = one; })

static int memory[2][8 * N * N];
static image images[2];
static matrix matrices[2];

static void begin(int way)
{
    for (int i = 0; i < 8 * N * N; i++) memory[way][i] = i * 7919 % 997;
    images[way] = (image){N, N - 1, memory[way], 5};
    matrices[way].rows = N, matrices[way].columns = N - 3;
    memcpy(matrices[way].values, memory[way], sizeof matrices->values);
}

static int differ(void)
{
    matrix *one = matrices, *other = one + 1;
    int sizes = images[0].width != images[1].width || images[0].height != images[1].height;
    return sizes || memcmp(memory[0], memory[1], sizeof *memory) || memcmp(one, other, sizeof *one);
}

#define WRONG(name, x, y, z)                                                                                           \
    ({                                                                                                                 \
        for (int way = 0; way < 2; way++) {                                                                            \
            begin(way);                                                                                                \
            int *m = memory[way];                                                                                      \
            (void)m;                                                                                                   \
            (way ? name##_plainly : name)(x, y, z);                                                                    \
        }                                                                                                              \
        differ();                                                                                                      \
    })

int main(void)
{
    int n = N, shape[2] = {N, N - 5};
    int wrong = WRONG(inverted, &images[way], 0, 0) + WRONG(in_place, &matrices[way], 0, 0);
    printf("%d ", wrong + WRONG(with_own_numbers, &images[way], &n, 0));
    printf("%d ", WRONG(counted, &n, 0, (unsigned *)m) + WRONG(by_length, shape, m, 0));
    /* what is counted up to is among what is stored */
    printf("%d ", WRONG(counted, (m[9] = 30, m + 9), 0, (unsigned *)m));
    printf("%d ", WRONG(by_length, (m[77] = 12, m[78] = 9, m + 77), m, 0));
    printf("%d ", WRONG(inverted, (images[way] = (image){1, 300, &images[way].height}, &images[way]), 0, 0));
    printf("%d\n", WRONG(changing, (m[0] = 40, m), m + 100, 0));
}
