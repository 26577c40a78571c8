/* Loops each iteration of which needs what others have left: they run by fronts. */
#include "../../middle/programs/middle.h"

#define N 71
static float A[N][N];
static int p[N][N], d[N][N];
static char s[N], t[N];
static float line[1700];
static double steep[600];

static void fill(void)
{
  FILL2(A);
  FILL2(p);
  for (int i = 0; i < 1700; i++)
    line[i] = i * i % 101;
  for (int i = 0; i < 600; i++)
    steep[i] = i * 7 % 31;
  for (int i = 0; i < N; i++) {
    s[i] = "acgt"[i * 7 % 4];
    t[i] = "acgt"[i * i % 4];
    for (int j = 0; j < N; j++)
      d[i][j] = i == 0 ? j : j == 0 ? i : -1;
  }
}

/* of the nine neighbours, four are new already: fronts go two columns back for each row */
static unsigned long swept(int times, int m, int n)
{
#pragma acc kernels
  for (int k = 0; k < times; k++)
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] +
                   A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9;
  return DIGEST(A);
}

/* rows go up, and iterators can't be negative */
static unsigned long pairs(int n)
{
#pragma acc kernels
  for (int i = n - 1; i >= 0; i--)
    for (unsigned j = i + 1; j < n; j++) {
      if (p[i][j] < p[i][j - 1])
        p[i][j] = p[i][j - 1];
      for (int k = i + 1; k < (int)j; k++)
        p[i][j] = p[i][j] > p[i][k] + p[k + 1][j] ? p[i][j] : (p[i][k] + p[k + 1][j]) & 1023;
    }
  return DIGEST(p);
}

static unsigned long edits(int m, int n)
{
#pragma acc kernels
  for (int i = 1; i < m; i++)
    for (int j = 1; j < n; j++) {
      int other = s[i - 1] != t[j - 1];
      int least = d[i - 1][j - 1] + other;
      if (d[i - 1][j] + 1 < least) least = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < least) least = d[i][j - 1] + 1;
      d[i][j] = least;
    }
  return DIGEST(d);
}

/* what goes down goes back by two columns, and columns count down */
static unsigned long backwards(int m, int n)
{
#pragma acc kernels
  for (int i = 1; i < m; i++)
    for (int j = n - 3; j > 0; j--)
      p[i][j] = (p[i - 1][j - 1] * 3 + p[i][j + 2] + p[i - 1][j + 2]) & 255;
  return DIGEST(p);
}

/* each iteration needs the one before; of fronts 2 * i + j there are seven, one of them with nothing in it */
static unsigned long corner(void)
{
#pragma acc kernels
  for (int i = 2; i >= 0; i--)
    for (int j = i; j >= 0; j--) {
      for (int k = 0; k < 9; k++)
        p[0][0] = (p[0][0] * 3 + p[i + 1][k] + 5 * j) & 1023;
      for (int k = 0; k < j; k++)
        d[k][k] = p[0][0];
    }
  return DIGEST(p) ^ DIGEST(d);
}

/* steps and places: tiles of fronts, in which every other element is a vector's */
static unsigned long relaxed(int steps, int n)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      line[i] = (line[i - 1] + line[i] + line[i + 1]) / 3;
  return DIGEST(line);
}

/* steps count down, places by a type that can't be negative, and what is ahead is farther away than what is behind */
static unsigned long leaning(int steps, unsigned n)
{
#pragma acc kernels
  for (long t = steps; t > 0; t--)
    for (unsigned i = 2; i + 3 < n; i++)
      steep[i] = 0.25 * steep[i - 2] + 0.5 * steep[i] + 0.125 * steep[i + 3] + t;
  return DIGEST(steep);
}

/* rows go up, so that those of a tile do */
static unsigned long upwards(int m, int n)
{
#pragma acc kernels
  for (int i = m - 2; i >= 0; i--)
    for (int j = 1; j < n; j++)
      p[i][j] = (p[i + 1][j] + p[i][j - 1] * 5 + p[i + 1][j - 1]) & 4095;
  return DIGEST(p);
}

int main(void)
{
  DEVICE(swept(3, N, N));
  DEVICE(swept(2, 3, N - 7));
  DEVICE(swept(1, 40, 4));
  EMPTY(swept(5, 2, N));
  EMPTY(swept(0, N, N));
  DEVICE(pairs(N));
  DEVICE(pairs(2));
  EMPTY(pairs(1));
  DEVICE(corner());
  EMPTY(pairs(0));
  DEVICE(edits(N, 33));
  DEVICE(edits(2, N));
  EMPTY(edits(1, 5));
  EMPTY(edits(7, 0));
  DEVICE(backwards(N, N - 3));
  DEVICE(backwards(2, N));
  EMPTY(backwards(9, 3));
  DEVICE(relaxed(150, 1700));
  DEVICE(relaxed(2, 1500));
  DEVICE(relaxed(129, 3));
  EMPTY(relaxed(0, 1700));
  EMPTY(relaxed(9, 2));
  DEVICE(leaning(140, 600));
  DEVICE(leaning(1, 6));
  EMPTY(leaning(3, 5));
  DEVICE(upwards(N, N));
  DEVICE(upwards(3, 2));
  EMPTY(upwards(1, 9));
  return 0;
}
