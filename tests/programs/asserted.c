// What ends the program if it is reached, and is not; tables that functions and loops have for themselves.
// prints: 359000 9996.75 60320 19968 296
// launches: 5
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { W = 64, H = 48 };
typedef struct {
    int rows, columns;
    double *values;
} matrix;
static int grid[H][W], next[H][W];
static float in[W * H], out[W * H];

static inline double get(const matrix *m, int i, int j)
{
    assert(i >= 0 && i < m->rows);
    assert(j >= 0 && j < m->columns);
    return m->values[i * m->columns + j];
}

static inline void set(matrix *m, int i, int j, double value)
{
    if (i >= m->rows || j >= m->columns) abort();
    m->values[i * m->columns + j] = value;
}

static void multiply(const matrix *a, const matrix *b, matrix *c)
{
#pragma acc kernels
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->columns; j++) {
            double sum = 0;
            for (int k = 0; k < a->columns; k++) sum += get(a, i, k) * get(b, k, j);
            set(c, i, j, sum);
        }
}

static inline float weight(int k)
{
    static const float weights[5] = {0.125f, 0.25f, 0.5f, 0.25f, 0.125f};
    return weights[k];
}

static void smooth(int n)
{
#pragma acc kernels
    for (int i = 2; i < n - 2; i++) {
        float sum = 0;
        if (n > W * H) exit(1);
        for (int k = 0; k < 5; k++) sum += weight(k) * in[i + k - 2];
        out[i] = sum;
    }
}

static void neighbours(void)
{
#pragma acc kernels
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            static const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
            int sum = 0;
            for (int k = 0; k < 4; k++) {
                int u = x + dx[k], v = y + dy[k];
                if (u >= 0 && u < W && v >= 0 && v < H) sum += grid[v][u];
            }
            next[y][x] = sum;
        }
}

static void by_kind(int n)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        switch (i & 3) {
        case 0: out[i] = 1; break;
        case 1: out[i] = in[i]; break;
        case 2:
        case 3: out[i] = 3; break;
        default: __builtin_unreachable();
        }
    }
}

static void halved(int n)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        assert(n % 8 == 0);
        if (i % 2 == 0) {
            assert(i + 1 < n && "pairs are whole");
            out[i / 2] = in[i] + in[i + 1];
        }
    }
}

int main(void)
{
    static double values[3][900];
    matrix a = {20, 30, values[0]}, b = {30, 25, values[1]}, c = {20, 25, values[2]};
    for (int i = 0; i < 900; i++) values[0][i] = i % 7, values[1][i] = i % 5;
    for (int i = 0; i < W * H; i++) in[i] = i % 48, grid[0][i] = i * 7 % 11;
    multiply(&a, &b, &c);
    double sums[5] = {0};
    for (int i = 0; i < 500; i++) sums[0] += c.values[i] * (1 + i % 5);
    smooth(W * H);
    for (int i = 0; i < W * H; i++) sums[1] += out[i] * (i % 9 == 0);
    neighbours();
    for (int i = 0; i < W * H; i++) sums[2] += next[0][i] * (i % 3);
    by_kind(W * H);
    for (int i = 0; i < W * H; i++) sums[3] += out[i] * (i % 2);
    halved(64);
    for (int i = 0; i < 32; i++) sums[4] += out[i] * (i % 4 == 1);
    printf("%g %g %g %g %g\n", sums[0], sums[1], sums[2], sums[3], sums[4]);
}
