/* Functions that are called for iterations which don't exist, with values that only those have which do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEIGHT = 45, WIDTH = 70, DEEP = 9, N = 300 };

static void edges(int height, int width, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc parallel loop collapse(2)
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++) {
      int across = in[y * width + x + 1] - in[y * width + x - 1];
      int down = in[(y + 1) * width + x] - in[(y - 1) * width + x];
      int sum = abs(across) + abs(down);
      out[y * width + x] = sum > 255 ? 255 : (unsigned char)sum;
    }
}

static void roots(int n, int m, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop
  for (int i = 1; i < n; i++) {
    float least = in[i];
    for (int k = 0; k < m; k++) {
      float root = sqrtf(least);
      out[i] = fmaxf(root, 1) + k;
    }
  }
}

static void products(int m, int n, float (*restrict a)[DEEP], float (*restrict b)[WIDTH], float (*restrict c)[WIDTH])
{
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < m; i++)
    for (int j = 1; j < n; j++)
      for (int k = 0; k < DEEP; k++)
        c[i][j] = fmaf(a[i][k], b[k][j], c[i][j]);
}

int main(void)
{
  static unsigned char in[HEIGHT * WIDTH], out[HEIGHT * WIDTH];
  static float a[N], b[N], lhs[HEIGHT][DEEP], rhs[DEEP][WIDTH], result[HEIGHT][WIDTH];
  for (int i = 0; i < HEIGHT * WIDTH; i++) {
    in[i] = (unsigned char)(i * 37 % 251);
    out[i] = 7;
    result[i / WIDTH][i % WIDTH] = -5;
  }
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = -3;
  }
  for (int i = 0; i < HEIGHT; i++)
    for (int k = 0; k < DEEP; k++)
      lhs[i][k] = i - k;
  for (int k = 0; k < DEEP; k++)
    for (int j = 0; j < WIDTH; j++)
      rhs[k][j] = k + j % 7;
  edges(HEIGHT, WIDTH, in, out);
  roots(N - 7, 3, a, b);
  products(HEIGHT - 1, WIDTH - 1, lhs, rhs, result);
  int border = 0, inside = 0;
  double products = 0, outside = 0, roots = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int at_border = y == 0 || x == 0 || y == HEIGHT - 1 || x == WIDTH - 1;
      *(at_border ? &border : &inside) += out[y * WIDTH + x];
      *(at_border ? &outside : &products) += result[y][x];
    }
  for (int i = 0; i < N; i++)
    roots += b[i];
  printf("%d %d %.3f %g %g\n", border, inside, roots, outside, products);
  return 0;
}
