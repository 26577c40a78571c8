/* Filters of pictures: rows that share what they load, as many as there are; of bytes, shorts and what lives on. */
// prints: wrong 0 0 0 0
// launches: 40
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 48 };
typedef unsigned char byte;

static const int weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
static byte in[MOST][MOST], out[MOST][MOST], mask[MOST][MOST];
static short wide[MOST][MOST], grown[MOST][MOST];

static void smooth(int h, int w)
{
#pragma acc parallel loop collapse(2)
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      int sum = 0;
      for (int v = 0; v < 3; v++)
        for (int u = 0; u < 3; u++)
          sum += weights[v][u] * in[y + v - 1][x + u - 1];
      out[y][x] = (byte)(sum / 16);
    }
}

static void edges(int h, int w)
{
#pragma acc parallel loop collapse(2)
  for (int y = 1; y < h - 1; y++)
    for (int x = 0; x < w; x++) {
      int up = in[y - 1][x], down = in[y + 1][x], here = in[y][x], most = up;
      if (down > most)
        most = down;
      if (abs(up - down) > 60)
        out[y][x] = 255;
      else
        out[y][x] = (byte)(most - here > 0 ? most - here : 0);
      mask[y][x] = (byte)(y & 1 ? up > here : down > here);
    }
}

static void shorts(int h, int w)
{
#pragma acc parallel loop collapse(2)
  for (int y = 0; y < h - 2; y++)
    for (int x = 0; x < w; x++) {
      const int a = wide[y][x], b = wide[y + 1][x], c = wide[y + 2][x];
      int low = a < b ? a : b, high = a < b ? b : a;
      int middle = c < low ? low : c > high ? high : c;
      grown[y][x] = (short)(2 * middle - (a + b + c) / 3 + y);
    }
}

static int bright(int h, int w)
{
  int found = 0;
#pragma acc parallel loop collapse(2) reduction(+ : found)
  for (int y = 0; y < h - 1; y++)
    for (int x = 0; x < w; x++)
      found += in[y][x] + in[y + 1][x] > 300;
  return found;
}

int main(void)
{
  long wrong[4] = {0};
  for (int y = 0; y < MOST; y++)
    for (int x = 0; x < MOST; x++) {
      in[y][x] = (byte)(y * y * 7 + x * x * 5 + x * y);
      wide[y][x] = (short)(y * 7919 + x * x * 104729);
    }
  static const int heights[] = {3, 4, 5, 6, 9, 17, 23, 48};
  for (int k = 0; k < 8; k++) {
    int h = heights[k], w = heights[7 - k];
    memset(out, 7, sizeof out);
    smooth(h, w);
    for (int y = 0; y < MOST; y++)
      for (int x = 0; x < MOST; x++) {
        int sum = 16 * 7;
        if (y > 0 && y < h - 1 && x > 0 && x < w - 1) {
          sum = 0;
          for (int k = 0; k < 9; k++)
            sum += weights[k / 3][k % 3] * *(volatile byte *)&in[y + k / 3 - 1][x + k % 3 - 1];
        }
        wrong[0] += out[y][x] != sum / 16;
      }
    memset(mask, 9, sizeof mask);
    memset(out, 7, sizeof out);
    edges(h, w);
    for (int y = 0; y < MOST; y++)
      for (int x = 0; x < MOST; x++) {
        int value = 7, flag = 9;
        if (y > 0 && y < h - 1 && x < w) {
          int up = in[y - 1][x], down = in[y + 1][x], here = in[y][x], most = down > up ? down : up;
          value = abs(up - down) > 60 ? 255 : most > here ? most - here : 0;
          flag = (y & 1 ? up : down) > here;
        }
        wrong[1] += out[y][x] != value || mask[y][x] != flag;
      }
    memset(grown, 0, sizeof grown);
    shorts(h, w);
    for (int y = 0; y < MOST; y++)
      for (int x = 0; x < MOST; x++) {
        int value = 0;
        if (y < h - 2 && x < w) {
          int a = wide[y][x], b = wide[y + 1][x], c = wide[y + 2][x], t;
          int sum = a + b + c;
          if (a > b)
            t = a, a = b, b = t;
          if (b > c)
            t = b, b = c, c = t;
          value = 2 * (a > b ? a : b) - sum / 3 + y;
        }
        wrong[2] += grown[y][x] != (short)value;
      }
    int found = bright(h, w);
    for (int y = 0; y < h - 1; y++)
      for (int x = 0; x < w; x++)
        found -= in[y][x] + in[y + 1][x] > 300;
    wrong[3] += found != 0;
  }
  printf("wrong %ld %ld %ld %ld\n", wrong[0], wrong[1], wrong[2], wrong[3]);
  return 0;
}
