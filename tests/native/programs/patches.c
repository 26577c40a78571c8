// Indices that are computed step by step: patches of an image with what lies beyond its borders (im2col), and variables
// that are halved, shifted and masked before they are used.
// prints: 0 0
// launches: 2
#include <stdio.h>
#include <stdlib.h>

static float pixel(float *im, int height, int width, int row, int col, int channel, int pad)
{
    row -= pad;
    col -= pad;
    if (row < 0 || col < 0 || row >= height || col >= width)
        return 0;
    return im[col + width * (row + height * channel)];
}

static void patches(float *im, int channels, int height, int width, int size, int stride, int pad, float *out)
{
    int high = (height + 2 * pad - size) / stride + 1, wide = (width + 2 * pad - size) / stride + 1;
    int c, h, w;
#pragma acc kernels
    for (c = 0; c < channels * size * size; ++c) {
        int right = c % size, down = (c / size) % size, channel = c / size / size;
        for (h = 0; h < high; ++h)
            for (w = 0; w < wide; ++w) {
                int row = down + h * stride, col = right + w * stride;
                out[(c * high + h) * wide + w] = pixel(im, height, width, row, col, channel, pad);
            }
    }
}

static void plain(float *im, int channels, int height, int width, int size, int stride, int pad, float *out)
{
    int high = (height + 2 * pad - size) / stride + 1, wide = (width + 2 * pad - size) / stride + 1;
    for (int c = 0; c < channels * size * size; ++c)
        for (int h = 0; h < high; ++h)
            for (int w = 0; w < wide; ++w)
                *out++ = pixel(im, height, width, c / size % size + h * stride, c % size + w * stride,
                               c / size / size, pad);
}

static void steps(int n, const float *x, float *restrict y)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        unsigned k = (unsigned)i;
        int m = i;
        k *= 2u;
        k += 6;
        k >>= 1;
        m += 5;
        m /= 2;
        m -= 1;
        y[i] = x[k] + x[m];
    }
}

int main(void)
{
    enum { CHANNELS = 6, HEIGHT = 33, WIDTH = 47, SIZE = 3, N = 100000 };
    float *im = malloc(sizeof *im * CHANNELS * HEIGHT * WIDTH), *x = malloc(sizeof *x * (N + 3)), *y = malloc(sizeof *y * N);
    size_t all = CHANNELS * SIZE * SIZE * HEIGHT * WIDTH;
    float *out = malloc(sizeof *out * all), *same = malloc(sizeof *same * all);
    int wrong = 0;
    for (int i = 0; i < CHANNELS * HEIGHT * WIDTH; i++)
        im[i] = (float)(i % 1013 + 1);
    patches(im, CHANNELS, HEIGHT, WIDTH, SIZE, 1, 1, out);
    plain(im, CHANNELS, HEIGHT, WIDTH, SIZE, 1, 1, same);
    for (size_t i = 0; i < all; i++)
        wrong += out[i] != same[i];
    printf("%d ", wrong);
    wrong = 0;
    for (int i = 0; i < N + 3; i++)
        x[i] = (float)(i % 4099);
    steps(N, x, y);
    for (int i = 0; i < N; i++)
        wrong += y[i] != (float)((i + 3) % 4099 + ((i + 5) / 2 - 1) % 4099);
    printf("%d\n", wrong);
    return 0;
}
