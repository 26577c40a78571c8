// Arrays of pixels, image[h][w][3], whose channels are a loop of their own: with data clauses that count all dimensions, a
// channel by itself beside the loop, channels in another order, rows of a struct's array, and four dimensions.
// prints: 3863 6214 8141 55507
// launches: 5
#include <stdio.h>
#include <string.h>

enum { H = 9, W = 21 };
static unsigned char in[H][W][3], out[H][W][3];
struct film {
  float shot[2][H][W][4];
};
static struct film film, cut;

static int of_bytes(void)
{
  int sum = 0;
  for (int k = 0; k < H * W * 3; k++)
    sum = (sum * 5 + out[k / (W * 3)][k / 3 % W][k % 3]) % 9973;
  memset(out, 0, sizeof out);
  return sum;
}

static int of_floats(void)
{
  double sum = 0;
  for (int k = 0; k < 2 * H * W * 4; k++)
    sum += (&cut.shot[0][0][0][0])[k] * (k % 13 - 4);
  memset(&cut, 0, sizeof cut);
  return (int)sum;
}

static void blurred(int h, int w, unsigned char (*restrict p)[w][3], unsigned char (*restrict q)[w][3])
{
#pragma acc parallel loop collapse(2) copyin(p[0 : h][0 : w][0 : 3]) copy(q[1 : h - 2][0 : w][0 : 3])
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++)
      for (int c = 0; c < 3; c++) {
        int sum = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++)
            sum += p[y + dy][x + dx][c];
        q[y][x][c] = (unsigned char)(sum / 9);
      }
}

static void marked(void)
{
#pragma acc kernels copyin(in) copy(out)
  {
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++)
        for (int c = 0; c < 3; c++)
          out[y][x][c] = (unsigned char)(in[y][x][c] / 2 + 7);
    for (int y = 0; y < H; y++)
      for (int x = 1; x < W; x++)
        out[y][x][1] = (unsigned char)(in[y][x - 1][2] + out[y][x][1]);
  }
}

static void reversed(int h, int w, unsigned char (*restrict p)[w][3], unsigned char (*restrict q)[w][3])
{
#pragma acc kernels copyin(p[0 : h]) copy(q[0 : h])
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 3; c++)
        q[y][x][c] = p[h - 1 - y][x][2 - c];
}

static void faded(struct film *f, const struct film *g)
{
#pragma acc parallel loop copy(f[0 : 1]) copyin(g[0 : 1])
  for (int t = 0; t < 2; t++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++)
        for (int c = 0; c < 4; c++)
          f->shot[t][y][x][c] = g->shot[t][y][x][c] * 2 + (float)t;
}

int main(void)
{
  for (int k = 0; k < H * W * 3; k++)
    in[k / (W * 3)][k / 3 % W][k % 3] = (unsigned char)(k * 31 % 253);
  for (int k = 0; k < 2 * H * W * 4; k++)
    (&film.shot[0][0][0][0])[k] = (float)(k * 7 % 19);
  blurred(H, W, in, out);
  printf("%d ", of_bytes());
  marked();
  printf("%d ", of_bytes());
  reversed(H, W, in, out);
  printf("%d ", of_bytes());
  faded(&cut, &film);
  printf("%d\n", of_floats());
  return 0;
}
