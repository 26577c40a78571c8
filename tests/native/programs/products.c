// Products of matrices whose sizes end before, at and behind a register tile, against plain loops; sizes may be 0.
// prints: 0 0 0 0 0 0 0 0
// launches: 770
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void single(int m, int n, int k, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels copyin(a[0:m * k], b[0:k * n]) copy(c[0:m * n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * n + j];
            c[i * n + j] = sum + 2 * c[i * n + j];
        }
}

/* Columns are the outer loop. */
static void scaled(int m, int n, int k, const double *restrict a, const double *restrict b, double *restrict c)
{
#pragma acc kernels copyin(a[0:m * k], b[0:k * n]) copy(c[0:m * n])
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            c[i * n + j] *= 3;
            for (int l = 0; l < k; l++)
                c[i * n + j] += 2 * a[i * k + l] * b[l * n + j];
        }
}

static void turned(int m, int n, int k, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels copyin(a[0:m * k], b[0:n * k]) copyout(c[0:m * n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[j * k + l];
            c[i * n + j] = sum;
        }
}

/* Rows times rows, one of which is packed in columns with what it is multiplied by. */
static void across(int m, int n, int k, const double *restrict a, const double *restrict b, double *restrict c)
{
#pragma acc kernels copyin(a[0:m * k], b[0:n * k]) copy(c[0:m * n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                c[i * n + j] += 2 * b[j * k + l] * a[i * k + l];
}

/* Rows and columns are both multiplied by a number, and each is packed with it. */
static void updated(int m, int n, int k, float factor, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels copyin(a[0:m * k], b[0:k * n]) copy(c[0:m * n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                c[i * n + j] += a[i * k + l] * factor * (factor * b[l * n + j]);
}

/* What a row is multiplied by is another number in each of its elements. */
static void weighted(int m, int n, int k, float *restrict w, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels copyin(a[0:m * k], b[0:k * n], w[0:k]) copy(c[0:m * n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                c[i * n + j] += w[l] * a[i * k + l] * b[l * n + j];
}

/* Only some columns have the product in them, and all are stored. */
static void partly(int m, int n, int k, int some, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels copyin(a[0:m * k], b[0:k * n]) copy(c[0:m * n])
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++)
                if (j < some)
                    sum += a[i * k + l] * b[l * n + j];
            c[i * n + j] += sum;
        }
}

/* As many numbers as a matrix has, in memory of just that size: what lies behind is somebody else's. */
#define FILLED(type, count, seed) filled_##type(count, seed)
#define FILL(type)                                              \
    static type *filled_##type(int count, int seed)             \
    {                                                           \
        type *made = malloc(count ? count * sizeof(type) : 1);  \
        for (int i = 0; i < count; i++)                         \
            made[i] = (type)((i * 7 + seed) % 5 + 1);           \
        return made;                                            \
    }
FILL(float)
FILL(double)

static int wrong[8];
static int some = 1;
static float factor = 2;
static float weights[] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2};

static void both(int m, int n, int k, const float *a, const float *b, float *c)
{
    updated(m, n, k, factor, a, b, c);
    factor = 6 - factor;
}

static void left(int m, int n, int k, const float *a, const float *b, float *c)
{
    some = some * 5 % 97;
    partly(m, n, k, some, a, b, c);
}

static void each(int m, int n, int k, const float *a, const float *b, float *c)
{
    weighted(m, n, k, weights, a, b, c);
}

#define CHECK(type, product, number, start, value)                                                       \
    do {                                                                                                 \
        type *a = FILLED(type, m * k, 1), *b = FILLED(type, k * n, 2), *c = FILLED(type, m * n, 3);      \
        if (m * k > 0)                                                                                   \
            a[(m - 1) * k] = INFINITY; /* and nothing that exists is infinite times 0 */                 \
        feclearexcept(FE_ALL_EXCEPT);                                                                    \
        product(m, n, k, a, b, c);                                                                       \
        wrong[3] += fetestexcept(FE_INVALID) != 0;                                                       \
        for (int i = 0; i < m; i++)                                                                      \
            for (int j = 0; j < n; j++) {                                                                \
                type sum = start * (type)(((i * n + j) * 7 + 3) % 5 + 1);                                \
                for (int l = 0; l < k; l++)                                                              \
                    sum += value;                                                                        \
                wrong[number] += c[i * n + j] != sum;                                                    \
            }                                                                                            \
        free(a), free(b), free(c);                                                                       \
    } while (0)

static void check(int m, int n, int k)
{
    CHECK(float, single, 0, 2, a[i * k + l] * b[l * n + j]);
    CHECK(double, scaled, 1, 3, 2 * a[i * k + l] * b[l * n + j]);
    CHECK(float, turned, 2, 0, a[i * k + l] * b[j * k + l]);
    CHECK(double, across, 7, 1, 2 * b[j * k + l] * a[i * k + l]);
    CHECK(float, both, 4, 1, (6 - factor) * (6 - factor) * a[i * k + l] * b[l * n + j]);
    CHECK(float, left, 6, 1, (j < some ? a[i * k + l] * b[l * n + j] : 0));
    if (k <= 20)
        CHECK(float, each, 5, 1, weights[l] * a[i * k + l] * b[l * n + j]);
}

int main(void)
{
    const int rows[] = {0, 1, 5, 6, 7, 8, 9, 257}, columns[] = {0, 1, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};
    const int lengths[] = {0, 1, 2, 255, 256, 257, 600};
    for (int j = 0; j < 16; j++) {
        for (int i = 0; i < 7; i++)
            check(rows[i], columns[j], 3);
        check(9, columns[j], lengths[j % 7]);
    }
    for (int l = 0; l < 7; l++)
        check(7, 35, lengths[l]);
    check(257, 17, 5);
    for (int k = 0; k < 8; k++)
        printf("%d%c", wrong[k], k < 7 ? ' ' : '\n');
    return 0;
}
