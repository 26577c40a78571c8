/* What differs in the first and the last iterations: indices that go around the end of an array or stop there. */
// prints: rings 0
// prints: clamped 0
// prints: rows 0
// prints: other types 0
// launches: 26
#include <stdio.h>
#include <stdlib.h>

#define MOST 70

static int wrong;

/* The same without a device, one element at a time. */
static int at(const int *a, long k, long n) { return a[((k % n) + n) % n]; }

static void rings(int n, const int *a, int *b, int *c)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n], c[0:n])
  for (int x = 0; x < n; x++) {
    int left = (x + n - 1) % n, right = (x + 1) % n;
    b[x] = a[left] + 2 * a[x] + 3 * a[right] + 5 * a[(x + 2 * n - 2) % n] + 7 * a[(x - 3 + 3 * n) % n];
    c[x] = (x + 3) % 5 + 10 * ((x + n) % n) + (x == n - 1 ? 1000 : 0) + (x > 0 && x < n - 1 ? 10000 : 0);
  }
  for (int x = 0; x < n; x++) {
    int want = at(a, x - 1, n) + 2 * a[x] + 3 * at(a, x + 1, n) + 5 * at(a, x - 2, n) + 7 * at(a, x - 3, n);
    wrong += b[x] != want;
    want = (x + 3) % 5 + 10 * x + (x == n - 1 ? 1000 : 0);
    wrong += c[x] != want + (x == 0 || x == n - 1 ? 0 : 10000);
  }
}

static void clamped(int n, const int *a, int *b)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
  for (int x = 0; x < n; x++) {
    b[x] = a[x > 0 ? x - 1 : 0] - a[x < n - 1 ? x + 1 : x] + 3 * a[x <= n - 3 ? x + 2 : n - 1];
    if (!(x < 2) && (n - 2 > x || a[x] > 5))
      b[x] += x != 2 ? a[x - 2] : -a[x];
    else if (n - 1 == x)
      b[x] *= 2;
  }
  for (int x = 0; x < n; x++) {
    int left = x ? x - 1 : 0, right = x == n - 1 ? x : x + 1, far = x + 2 < n ? x + 2 : n - 1;
    int want = a[left] - a[right] + 3 * a[far];
    if (x >= 2 && (x < n - 2 || a[x] > 5))
      want += x == 2 ? -a[x] : a[x - 2];
    else if (x == n - 1)
      want *= 2;
    wrong += b[x] != want;
  }
}

static void rows(int h, int w, const unsigned char *a, unsigned char *b)
{
#pragma acc parallel loop collapse(2) copyin(a[0:h * w]) copyout(b[0:h * w])
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += a[(y + dy + h) % h * w + (x + dx + w) % w];
      b[y * w + x] = (unsigned char)(sum / 9);
    }
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int k = 0; k < 9; k++)
        sum += a[(y + k / 3 - 1 + h) % h * w + (x + k % 3 - 1 + w) % w];
      wrong += b[y * w + x] != (unsigned char)(sum / 9);
    }
}

static void types(long n, const int *a, int *b)
{
  size_t m = (size_t)n;
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
  for (long x = 0; x < n; x++)
    b[x] = a[(x + n - 1) % n] - a[(x + 1) % n] + (int)((x - 5) % n) + (int)(-x % 3);
  for (long x = 0; x < n; x++)
    wrong += b[x] != at(a, x - 1, n) - at(a, x + 1, n) + (int)((x - 5) % n) + (int)(-x % 3);
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
  for (size_t x = 0; x < m; x++)
    b[x] = a[(x + m - 1) % m] * (x + 1 < m ? 2 : 3) + (int)((x - 2) % 7);
  for (size_t x = 0; x < m; x++)
    wrong += b[x] != at(a, (long)x - 1, n) * (x + 1 < m ? 2 : 3) + (int)((x - 2) % 7);
}

int main(void)
{
  static const int sizes[] = {1, 2, 3, 5, 37, 70};
  int a[MOST], b[MOST], c[MOST];
  unsigned char *in = malloc(MOST * MOST), *out = malloc(MOST * MOST);
  for (int k = 0; k < MOST; k++)
    a[k] = k * k % 11 - 3;
  for (int k = 0; k < MOST * MOST; k++)
    in[k] = (unsigned char)(k * k % 251);
  for (int k = 0; k < 6; k++)
    rings(sizes[k], a, b, c);
  printf("rings %d\n", wrong);
  for (int k = 0; k < 6; k++)
    clamped(sizes[k], a, b);
  printf("clamped %d\n", wrong);
  for (int k = 0; k < 6; k++)
    rows(sizes[k], sizes[5 - k], in, out);
  printf("rows %d\n", wrong);
  for (int k = 2; k < 6; k++)
    types(sizes[k], a, b);
  printf("other types %d\n", wrong);
  free(in), free(out);
  return 0;
}
