// Strides that the caller gives: loops inside of others run along shorter ones. Where that is not so, where planes are no
// whole number of rows, or rows shorter than what loops run over, the host's loops run.
// prints: nested 869.0 346.5
// prints: uneven 869.0 346.5
// prints: turned 869.0 346.5
// prints: overlapping 557.0 -490.0
// prints: own product 869.0 346.5
// launches: 2
#include <stdio.h>
#include <string.h>

enum { ROOM = 40000 };
static double x[ROOM], y[ROOM];

static void along(int n, int row, int plane, const double *restrict a, double *restrict b)
{
#pragma acc kernels
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++)
      for (int i = 1; i <= n; i++) {
        int at = i + j * row + k * plane;
        b[at] = 0.5 * a[at] + a[at - 1] - a[at + 1] + a[at - row] + a[at + row] - a[at - plane] * a[at + plane];
      }
}

static void by_product(int n, int row, const double *restrict a, double *restrict b)
{
  const int plane = row * row;
#pragma acc kernels
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++)
      for (int i = 1; i <= n; i++) {
        int at = i + j * row + k * plane;
        b[at] = 0.5 * a[at] + a[at - 1] - a[at + 1] + a[at - row] + a[at + row] - a[at - plane] * a[at + plane];
      }
}

static void filled(int n, int row, int plane)
{
  memset(x, 0, sizeof x);
  memset(y, 0, sizeof y);
  for (int k = 0; k < n + 2; k++)
    for (int j = 0; j < n + 2; j++)
      for (int i = 0; i < n + 2; i++)
        x[i + j * row + k * plane] = (i * 5 + j * 3 + k * 7) % 11 * 0.5;
}

static void told(const char *name, int n, int row, int plane)
{
  double sum = 0, other = 0;
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++)
      for (int i = 1; i <= n; i++) {
        sum += y[i + j * row + k * plane];
        other += y[i + j * row + k * plane] * ((i + 2 * j + k) % 5 - 2);
      }
  printf("%s %.1f %.1f\n", name, sum, other);
}

int main(void)
{
  const int n = 12;
  filled(n, 16, 16 * 15), along(n, 16, 16 * 15, x, y), told("nested", n, 16, 16 * 15);
  filled(n, 16, 16 * 15 + 5), along(n, 16, 16 * 15 + 5, x, y), told("uneven", n, 16, 16 * 15 + 5);
  filled(n, 16 * 15, 16), along(n, 16 * 15, 16, x, y), told("turned", n, 16 * 15, 16);
  filled(n, 3, 15), along(n, 3, 15, x, y), told("overlapping", n, 3, 15);
  filled(n, 17, 17 * 17), by_product(n, 17, x, y), told("own product", n, 17, 17 * 17);
}
