/* Loops that read what they change a little later, over and over: copies from before they do make them parallel. */
#include "../../middle/programs/middle.h"

#ifndef ELEMENT
#define ELEMENT float
#endif
#define N 70
static ELEMENT line[2500], other[2500], g[N][N], h[N][N], q[12][N][9];

static void fill(void)
{
  FILL(line);
  FILL(other);
  FILL2(g);
  FILL2(h);
  for (int i = 0; i < 12; i++)
    FILL2(q[i]);
}

/* the example of WAVE */
static unsigned long halved(int steps, int n)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n - 1; i++)
      line[i] = (line[i] + line[i + 1]) / 2;
  return DIGEST(line);
}

/* seven elements on, and pointers that may lead to one array */
static unsigned long ahead(int steps, int n, ELEMENT *a, ELEMENT *b)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n - 7; i++)
      a[i] = a[i + 7] / 2 + b[i];
  return DIGEST(line) ^ DIGEST(other);
}

/* the last corner is read by nobody, and may not be there */
static unsigned long corner(int steps, int m, int n, ELEMENT (*a)[n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < m - 1; i++)
      for (int j = 0; j < n - 1; j++)
        a[i][j] = (a[i][j] + a[i + 1][j] + a[i][j + 1]) / 3;
  return DIGEST(g);
}

/* one row is set before, three statements share a loop, and another nest reads what this one leaves */
static unsigned long several(int steps, int n)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < n; j++)
      g[0][j] = t + j;
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++) {
        ELEMENT x = g[i + 1][j + 1] + g[i][j];
        g[i][j] = x / 2;
        h[i][j] += x * g[i][j];
      }
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        h[i][j] = h[i + 1][j] + g[i][j] / 8;
  }
  return DIGEST(g) ^ DIGEST(h);
}

/* downwards, every other step, and what is updated is read as it is */
static unsigned long down(int steps, int n)
{
#pragma acc kernels
  for (int t = 1; t <= steps; t += 2)
    for (int i = n - 1; i > 0; i--)
      for (int j = n - 1; j > 0; j--)
        g[i][j] += (g[i - 1][j] + g[i][j - 1]) / 4 - g[i][j] / 2;
  return DIGEST(g);
}

static unsigned long cubes(int steps, int n)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < 11; i++)
      for (int j = 0; j < n - 1; j++)
        for (int k = 0; k < 8; k++)
          q[i][j][k] = (q[i + 1][j][k + 1] + q[i][j + 1][k] - q[i][j][k]) / 2;
  return DIGEST(q);
}

/* elements of a row need one another, and only rows get apart */
static unsigned long rows(int steps, int n)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        g[i][j] = (g[i][j - 1] + g[i + 1][j] + g[i][j]) / 3;
  return DIGEST(g);
}

/* fewer rows in each step */
static unsigned long fewer(int n)
{
#pragma acc kernels
  for (int k = 0; k < n; k++)
    for (int i = k; i < n - 1; i++)
      for (int j = 0; j < i; j++)
        g[i][j] = (g[i + 1][j] + g[i][j]) / 2;
  return DIGEST(g);
}

/* values come from both sides, and from what a row has left: no copy helps */
static unsigned long both(int steps, int n)
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      line[i] = (line[i - 1] + line[i + 1]) / 2;
  return DIGEST(line);
}

int main(void)
{
  fill();
  DEVICE(halved(9, 2500));
  DEVICE(halved(1, 1000));
  EMPTY(halved(0, 1000));
  EMPTY(halved(5, 1));
  DEVICE(ahead(5, 2300, line, other));
  HOST(ahead(5, 2300, line + 3, line));
  DEVICE(corner(5, N, N, g));
  DEVICE(corner(2, 33, N, g + 5));
  EMPTY(corner(3, 1, N, g));
  DEVICE(several(3, N));
  DEVICE(several(2, 47));
  DEVICE(down(5, N));
  DEVICE(down(6, 41));
  DEVICE(cubes(3, 53));
  DEVICE(rows(3, N));
  DEVICE(fewer(N));
  HOST(both(3, 2000));
}
