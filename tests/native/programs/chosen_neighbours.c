// Neighbours that variables choose at the borders of a linearised grid, as people write them: where first and last
// iterations go on from where they are, or around. Loops along rows are split there, and the middle has vectors.
// prints: 0 0 0 0
// launches: 24
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP(NAME, PRAGMA)                                                                              \
    static void NAME(int nx, int ny, int nz, const float *restrict f, float *restrict g)                \
    {                                                                                                   \
        PRAGMA                                                                                          \
        for (int k = 0; k < nz; k++)                                                                    \
            for (int j = 0; j < ny; j++)                                                                \
                for (int i = 0; i < nx; i++) {                                                          \
                    const int at = nx * ny * k + nx * j + i;                                            \
                    const int right = i == nx - 1 ? at : at + 1, left = i == 0 ? at : at - 1;           \
                    const int down = j == ny - 1 ? at : at + nx, up = j == 0 ? at : at - nx;            \
                    const int back = k == nz - 1 ? at : at + nx * ny, front = k == 0 ? at : at - nx * ny; \
                    g[at] = f[at] + 2 * f[right] + 3 * f[left] + 5 * f[down] + 7 * f[up] + 11 * f[back] + 13 * f[front]; \
                }                                                                                       \
    }
STEP(step, _Pragma("acc kernels"))
STEP(step_on_host, )

#define AROUND(NAME, PRAGMA)                                                                            \
    static void NAME(int w, int h, const int *restrict p, int *restrict q)                              \
    {                                                                                                   \
        PRAGMA                                                                                          \
        for (int y = 0; y < h; y++)                                                                     \
            for (int x = 0; x < w; x++) {                                                               \
                int west = x > 0 ? x - 1 : w - 1, east = x < w - 1 ? x + 1 : 0;                         \
                int north = y > 0 ? y - 1 : h - 1, row = north * w;                                     \
                q[y * w + x] = p[row + west] + 3 * p[row + east] + 5 * p[y * w + west] + 7 * p[y * w + east]; \
            }                                                                                           \
    }
AROUND(around, _Pragma("acc kernels"))
AROUND(around_on_host, )

/* pixels of three channels, none of which lies beyond the border */
#define CLAMPED(NAME, PRAGMA)                                                                           \
    static void NAME(int w, int h, const unsigned char *restrict p, unsigned char *restrict q)          \
    {                                                                                                   \
        PRAGMA                                                                                          \
        for (int y = 0; y < h; y++)                                                                     \
            for (int x = 0; x < w; x++) {                                                               \
                int left = x < 2 ? 0 : x - 2, right = x + 2 > w - 1 ? w - 1 : x + 2;                    \
                int above = y < 1 ? 0 : y - 1;                                                          \
                for (int c = 0; c < 3; c++)                                                             \
                    q[3 * (y * w + x) + c] = (unsigned char)((p[3 * (y * w + left) + c] + p[3 * (y * w + right) + c] \
                        + 2 * p[3 * (above * w + x) + c]) / 4);                                         \
            }                                                                                           \
    }
CLAMPED(clamped, _Pragma("acc kernels"))
CLAMPED(clamped_on_host, )

/* short loops over the points of a filter, some of which are beyond the border, others left out there */
#define FILTERED(NAME, PRAGMA)                                                                          \
    static void NAME(int w, int h, const int *restrict p, int *restrict q)                              \
    {                                                                                                   \
        PRAGMA                                                                                          \
        for (int y = 0; y < h; y++)                                                                     \
            for (int x = 0; x < w; x++) {                                                               \
                int sum = 0, near = 0;                                                                  \
                for (int dy = -1; dy <= 1; dy++)                                                        \
                    for (int dx = -2; dx <= 2; dx++) {                                                  \
                        int yy = y + dy < 0 ? 0 : y + dy >= h ? h - 1 : y + dy;                         \
                        int xx = x + dx < 0 ? 0 : x + dx >= w ? w - 1 : x + dx;                         \
                        sum += p[yy * w + xx] * (dx + 3);                                               \
                        if (x - dx >= 0 && x - dx < w)                                                  \
                            near += p[y * w + x - dx];                                                  \
                    }                                                                                   \
                q[y * w + x] = sum - near;                                                              \
            }                                                                                           \
    }
FILTERED(filtered, _Pragma("acc kernels"))
FILTERED(filtered_on_host, )

int main(void)
{
    static const int sizes[][3] = {{40, 30, 20}, {1, 1, 1}, {2, 3, 1}, {3, 1, 4}, {130, 7, 2}, {17, 18, 19}};
    int wrong[4] = {0};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int nx = sizes[s][0], ny = sizes[s][1], nz = sizes[s][2], all = nx * ny * nz;
        float *f = malloc(all * sizeof *f), *g = malloc(all * sizeof *g), *h = malloc(all * sizeof *h);
        int *p = malloc(all * sizeof *p), *q = malloc(all * sizeof *q), *r = malloc(all * sizeof *r);
        unsigned char *a = malloc(3 * all), *b = malloc(3 * all), *c = malloc(3 * all);
        for (int i = 0; i < all; i++)
            f[i] = (float)(i * 7 % 23), p[i] = i * 5 % 31;
        for (int i = 0; i < 3 * all; i++)
            a[i] = (unsigned char)(i * 11);
        step(nx, ny, nz, f, g), step_on_host(nx, ny, nz, f, h);
        wrong[0] += memcmp(g, h, all * sizeof *g) != 0;
        around(nx, ny * nz, p, q), around_on_host(nx, ny * nz, p, r);
        wrong[1] += memcmp(q, r, all * sizeof *q) != 0;
        clamped(nx, ny * nz, a, b), clamped_on_host(nx, ny * nz, a, c);
        wrong[2] += memcmp(b, c, 3 * all) != 0;
        filtered(nx, ny * nz, p, q), filtered_on_host(nx, ny * nz, p, r);
        wrong[3] += memcmp(q, r, all * sizeof *q) != 0;
        free(f), free(g), free(h), free(p), free(q), free(r), free(a), free(b), free(c);
    }
    printf("%d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3]);
    return 0;
}
