/* Few results, each of many values: loops that combine run in parallel too. PARTS(call) says that the call launches a
   kernel for parts and one that combines them, PLAIN(call) that one kernel does it. The values are whole numbers, so
   that the order of additions doesn't show. */
#include "../../middle/programs/middle.h"
#include <math.h>
#include <stdlib.h>

#define PARTS(call) show("device", "in parts " #call, (call))
#define PLAIN(call) show("device", "as it is " #call, (call))
#define MOST 300000

static float x[MOST], y[256];
static float A[8 * MOST];
static int ints[4 * MOST];

static unsigned long mv(int m, int n)
{
  float (*a)[n] = (void *)A;
  FILL(y);
#pragma acc parallel loop copyin(a[0:m][0:n])
  for (int i = 0; i < m; i++) {
    float sum = 0;
#pragma acc loop reduction(+:sum)
    for (int k = 0; k < n; k++)
      sum += a[i][k] * x[k];
    y[i] = 2 * sum + y[i];
  }
  return DIGEST(y);
}

/* rows of different lengths, which begin at different places */
static unsigned long slanted(int m, int n)
{
  static double sums[8], most[8], a[8][40000];
  FILL2(a);
  FILL(sums);
#pragma acc parallel loop copyin(a) copy(sums, most)
  for (int i = 0; i < m; i++) {
    double sum = 0, largest = -9;
#pragma acc loop reduction(+:sum) reduction(max:largest)
    for (int k = 300 * i; k < n - 7000 * i; k++) {
      sum += a[i][k] * x[k];
      largest = fmax(largest, a[i][k]);
    }
    sums[i] += sum;
    most[i] = largest;
  }
  return DIGEST(sums) ^ DIGEST(most) * 3;
}

/* the order of floating-point operations is kept where nobody allows another */
static unsigned long in_order(int m, int n)
{
  float (*a)[n] = (void *)A;
  FILL(y);
#pragma acc parallel loop copyin(a[0:m][0:n])
  for (int i = 0; i < m; i++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[i][k] * x[k];
    y[i] = sum;
  }
  return DIGEST(y);
}

static unsigned long gemm(int m, int n, int q)
{
  static int c[16][16];
  int (*a)[q] = (void *)ints, (*b)[n] = (void *)(ints + MOST);
  FILL2(c);
#pragma acc kernels copyin(a[0:m][0:q], b[0:q][0:n]) copy(c)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] *= 3;
      for (int k = 0; k < q; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
  return DIGEST(c);
}

static unsigned long convolution(int h, int w, int r, int s)
{
  static double out[4][4];
  static double in[40000][8], weight[40000][5];
  FILL2(in);
  FILL2(weight);
  FILL2(out);
#pragma acc parallel loop collapse(2) copy(out) copyin(in, weight)
  for (int oy = 0; oy < h; oy++)
    for (int ox = 0; ox < w; ox++) {
      double sum = out[oy][ox];
#pragma acc loop reduction(+:sum)
      for (int ky = 0; ky < r; ky++)
        for (int kx = 0; kx < s; kx++)
          sum += in[oy + ky][ox + kx] * weight[ky][kx];
      out[oy][ox] = sum;
    }
  return DIGEST(out);
}

/* three loops around, not all from 0 on, and three that combine */
static unsigned long channels(int outputs, int h, int w, int inputs)
{
  static float out[5][4][4], in[9000][5][5], weight[5][9000][2][2];
  for (int c = 0; c < 9000; c++)
    for (int k = 0; k < 25; k++)
      in[c][k / 5][k % 5] = noise(c * 25 + k) % 4;
  for (int k = 0; k < 5 * 9000 * 4; k++)
    weight[k / 36000][k / 4 % 9000][k / 2 % 2][k % 2] = noise(k * 3) % 5;
  FILL2(out[0]);
#pragma acc kernels loop independent copy(out) copyin(in, weight)
  for (int o = 1; o < outputs; o++)
#pragma acc loop independent
    for (int y = 0; y < h; y++)
#pragma acc loop independent
      for (int x = 2; x < w; x++) {
        float sum = 0;
#pragma acc loop reduction(+:sum)
        for (int c = 0; c < inputs; c++)
          for (int ky = 0; ky < 2; ky++)
            for (int kx = 0; kx < 2; kx++)
              sum += in[c][y + ky][x + kx] * weight[o][c][ky][kx];
        out[o][y][x] = sum;
      }
  return DIGEST(out);
}

static unsigned long every_operator(int m, int n)
{
  static long results[8][9];
  int (*a)[n] = (void *)ints;
  FILL2(results);
#pragma acc kernels copyin(a[0:m][0:n]) copy(results)
  for (int i = 0; i < m; i++) {
    int sum = i, most = -1000, least = 1000, all = ~0, any = i, odd = 5;
    unsigned product = 3;
    int both = 1, either = 0;
    for (int k = 0; k < n; k++) {
      int value = a[i][k];
      sum -= value;
      product *= k % 1000 == 7 ? 3 : 1;
      if (value > most)
        most = value;
      least = least < value ? least : value;
      all &= value | 64;
      any |= value & 8;
      odd ^= value;
      both = both && value < 50;
      either = value == 50 || either;
    }
    results[i][0] = sum;
    results[i][1] = product;
    results[i][2] = most;
    results[i][3] = least;
    results[i][4] = all;
    results[i][5] = any;
    results[i][6] = odd;
    results[i][7] = both;
    results[i][8] = either;
  }
  return DIGEST(results);
}

/* as many values as the row has, not all of them, and from the back */
static unsigned long uneven(int m, int n)
{
  static long sums[8];
  int (*a)[n] = (void *)ints;
  FILL(sums);
#pragma acc kernels copyin(a[0:m][0:n]) copy(sums)
  for (int i = 1; i < m; i++) {
    sums[i] = 7;
    for (int k = n - 1; k > 100 * i; k -= 3)
      if (a[i][k] > 0)
        sums[i] += a[i][k];
  }
  return DIGEST(sums);
}

static unsigned long dot_again_and_again(int times, int n)
{
  static double dots[4], v[MOST];
  FILL(v);
  FILL(dots);
#pragma acc kernels copy(v, dots)
  for (int t = 1; t < times; t++) {
#pragma acc loop
    for (int k = 0; k < 100; k++)
      v[k] += v[k + 100] + dots[t - 1];
#pragma acc loop
    for (int i = t; i < t + 1; i++) {
      double dot = 0;
#pragma acc loop reduction(+:dot)
      for (int k = 0; k < n; k++)
        dot += v[k] * x[k];
      dots[i] = fmod(dot, 1000);
    }
  }
  return DIGEST(dots) ^ DIGEST(v);
}

/* what the loop needs is not known before */
static unsigned long needs_its_row(int m, int n)
{
  static long sums[8];
  int (*a)[n] = (void *)ints;
  FILL(sums);
#pragma acc kernels copyin(a[0:m][0:n]) copy(sums)
  for (int i = 0; i < m; i++) {
    long sum = 0, scale = sums[i] % 4 + 1;
    for (int k = 0; k < n; k++)
      sum += a[i][k] * scale;
    sums[i] = sum;
  }
  return DIGEST(sums);
}

/* the values themselves are written too */
static unsigned long changes_its_row(int m, int n)
{
  static long sums[8], at[8];
  int (*a)[n] = (void *)ints;
  FILL(sums);
  FILL(at);
#pragma acc kernels copy(a[0:m][0:n]) copy(sums, at)
  for (int i = 0; i < m; i++) {
    long sum = 0;
    for (int k = 0; k < n; k++) {
      a[i][k] += i;
      sum += a[i][k];
    }
    sums[i] = sum;
    if (n > 1)
      at[i] = a[i][n - 1] + a[i][0];
  }
  return DIGEST(sums) ^ DIGEST(at) * 3;
}

/* an element of the loop's own row is no result */
static unsigned long prefix(int m, int n)
{
  int (*a)[n] = (void *)ints;
#pragma acc kernels copy(a[0:m][0:n])
  for (int i = 0; i < m; i++)
    for (int k = 1; k < n; k++)
      a[i][0] += a[i][k] + (k == n - 1 ? a[i][0] : 0);
  return DIGEST(ints);
}

int main(void)
{
  FILL(x);
  FILL(A);
  for (int k = 0; k < MOST; k++) {
    x[k] = (int)x[k] % 3;
    for (int i = 0; i < 8; i++)
      A[8 * k + i] = (int)A[8 * k + i] % 5;
  }
  FILL(ints);
  PARTS(mv(1, MOST));
  PARTS(mv(3, 70001));
  PARTS(mv(6, 40003));
  PARTS(mv(8, 20000));
  PARTS(slanted(6, 40000));
  PLAIN(mv(8, 100));
  PLAIN(mv(200, 4));
  PLAIN(mv(1, 1));
  PLAIN(mv(2, 0));
  EMPTY(mv(0, 5));
  PLAIN(in_order(1, MOST));
  PARTS(gemm(4, 4, 20001));
  PARTS(gemm(2, 9, 10000));
  PLAIN(gemm(16, 16, 60));
  PLAIN(gemm(3, 5, 0));
  PARTS(convolution(3, 4, 30001, 5));
  PARTS(channels(5, 3, 4, 9000));
  PLAIN(channels(5, 2, 4, 70));
  EMPTY(channels(5, 0, 4, 9000));
  PARTS(every_operator(4, 60003));
  PLAIN(every_operator(4, 0));
  PARTS(uneven(4, 200000));
  PLAIN(uneven(4, 90));
  PARTS(dot_again_and_again(4, MOST));
  PLAIN(needs_its_row(4, 100000));
  PARTS(changes_its_row(4, 100000));
  PLAIN(prefix(4, 100000));
  return 0;
}
