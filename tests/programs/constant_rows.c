// Rows whose length is a constant: by a macro, shifts and offsets, of three dimensions, from an offset that is known only
// when the program runs; windows that overlap; and columns beyond the row's end, which run on the host.
// prints: 3460 3824 515 4155 2492 8891 5315
// launches: 6
#include <stdio.h>
#include <string.h>

#define W 40
enum { H = 20 };
static int in[64 * 64 + 4 * H * W], out[64 * 64 + 4 * H * W];

static int result(void)
{
  int sum = 0;
  for (int k = 0; k < (int)(sizeof out / sizeof *out); k++)
    sum = (sum * 3 + out[k] * (k % 7)) % 9973;
  memset(out, 0, sizeof out);
  return sum;
}

static void smoothed(int h, const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : h * W]) copy(b[0 : h * W])
  for (int i = 1; i < h - 1; i++)
    for (int j = 1; j < W - 1; j++)
      b[i * W + j] = a[(i - 1) * W + j] + a[(i + 1) * W + j] - a[i * W + j - 1] + a[W * i + (j + 1)];
}

static void shifted(const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : 64 * 64]) copy(b[0 : 64 * 64])
  for (int i = 0; i < 63; i++)
    for (int j = 0; j < 60; j++)
      b[(i << 6) + j + 3] = a[64 * (i + 1) + j + 2] * 2;
}

static void box(int n, int *restrict b)
{
#pragma acc kernels copy(b[0 : n * 800])
  for (int k = 1; k < n; k++)
    for (int i = 0; i < 20; i++)
      for (int j = 0; j < 40; j++)
        b[k * 800 + i * 40 + j] = b[i * 40 + j] + k;
}

static void placed(int off, int h, const int *restrict a, int *restrict b)
{
#pragma acc parallel loop collapse(2) copyin(a[0 : h * W]) copy(b[off : h * W])
  for (int i = 0; i < h; i++)
    for (int j = 0; j < 33; j++)
      b[off + i * W + j] = a[i * W + j];
}

static void windows(int frames, const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : 32 * frames + 100]) copy(b[0 : 100 * frames])
  for (int f = 0; f < frames; f++)
    for (int t = 0; t < 100; t++)
      b[f * 100 + t] = a[f * 32 + t] * (t & 3);
}

static void beyond(int h, int w, int *restrict b)
{
#pragma acc kernels copy(b[0 : (h - 1) * W + w])
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      b[i * W + j] = b[i * W + j] * 2 + i;
}

int main(void)
{
  for (int k = 0; k < (int)(sizeof in / sizeof *in); k++)
    in[k] = k * 37 % 101;
  smoothed(H, in, out);
  printf("%d ", result());
  shifted(in, out);
  printf("%d ", result());
  memcpy(out, in, sizeof out);
  box(4, out);
  printf("%d ", result());
  placed(1234, H, in, out);
  printf("%d ", result());
  windows(50, in, out);
  printf("%d ", result());
  memcpy(out, in, sizeof out);
  beyond(9, W, out);
  printf("%d ", result());
  memcpy(out, in, sizeof out);
  beyond(9, W + 5, out);
  printf("%d\n", result());
  return 0;
}
