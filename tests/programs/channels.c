// Interleaved channels: loops over pixels and channels that are one loop, and such as are not, for what they compute,
// store or promise tells them apart.
// prints: 9159 8846 1105 1728 16821 3039
// launches: 6
#include <stdio.h>
#include <string.h>

#define W 37
#define H 11
static unsigned char in[4 * W * H], out[4 * W * H];
static float signal[4 * W], filtered[4 * W];

static int sum(const unsigned char *p)
{
  int all = 0;
  for (int k = 0; k < 4 * W * H; k++)
    all = (all * 5 + p[k]) % 9973;
  return all;
}

static void brighter(int n, const unsigned char *restrict p, unsigned char *restrict q)
{
#pragma acc parallel loop copyin(p[0 : 3 * n]) copy(q[0 : 3 * n])
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      q[3 * i + c] = (unsigned char)(p[3 * i + c] + 10);
}

static void two_of_four(int first, int n, const unsigned char *restrict p, unsigned char *restrict q)
{
#pragma acc parallel loop copyin(p[0 : 4 * n]) copy(q[0 : 4 * n])
  for (int i = first; i <= n - 1; i++)
    for (int c = 0; c <= 1; c++)
      q[4 * i + c] = (unsigned char)(p[4 * i + c] + c);
}

static void reversed(long n, const unsigned char *restrict p, unsigned char *restrict q)
{
#pragma acc parallel loop copyin(p[0 : 3 * n]) copy(q[0 : 3 * n])
  for (long i = 0; i < n; i++)
    for (long c = 0; c < 3; c++)
      q[3 * i + c] = p[3 * i + 2 - c];
}

/* what is promised of pixels does not hold for their channels */
static void along(int n, unsigned char *p)
{
#pragma acc parallel loop independent copy(p[0 : 3 * n])
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      if (p[3 * i + c] % 4)
        p[3 * i + c] = (unsigned char)(p[3 * i + c] + p[3 * i] * 3);
}

static void of_two(int n, const float *restrict p, float *restrict q)
{
#pragma acc parallel loop copyin(p[0 : 2 * n]) copy(q[0 : 2 * n])
  for (int i = 2; i < n - 2; i++)
    for (int c = 0; c < 2; c++) {
      float sum = 0;
      for (int d = -2; d <= 2; d++)
        sum += p[2 * (i + d) + c] * (float)(3 - d * d);
      q[2 * i + c] = sum;
    }
}

static void planes(int height, int width, const unsigned char *restrict p, unsigned char *restrict q)
{
#pragma acc parallel loop collapse(3) copyin(p[0 : 4 * height * width]) copy(q[0 : 4 * height * width])
  for (int y = 1; y < height; y++)
    for (int x = 0; x < width - 1; x++)
      for (int c = 0; c < 4; c++)
        q[4 * (y * width + x) + c] = (unsigned char)(p[4 * ((y - 1) * width + x + 1) + c] ^ p[4 * (y * width + x) + c]);
}

int main(void)
{
  for (int k = 0; k < 4 * W * H; k++)
    in[k] = (unsigned char)(k * 37 % 251);
  for (int k = 0; k < 4 * W; k++)
    signal[k] = (float)(k * 7 % 13);
  brighter(W * H, in, out);
  printf("%d", sum(out));
  two_of_four(1, W, in, out);
  printf(" %d", sum(out));
  reversed(W * H - 1, in, out);
  printf(" %d", sum(out));
  along(W * H, out);
  printf(" %d", sum(out));
  of_two(2 * W, signal, filtered);
  double all = 0;
  for (int k = 0; k < 4 * W; k++)
    all += filtered[k] * (k % 9);
  printf(" %d", (int)all);
  planes(H, W, in, out);
  printf(" %d\n", sum(out));
  return 0;
}
