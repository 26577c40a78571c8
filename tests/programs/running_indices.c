// Indices and pointers that run along with loops: by ones and more, up and down, in nests, past inner loops that may not
// run at all, by amounts that are known only when the program runs; and what they hold in the end.
// prints: 117 19463 2012 1005 15556 9096 7465 26371 1182528 79 4915 3461
// launches: 8
#include <stdio.h>
#include <string.h>

enum { M = 9, N = 13 };
static int in[4 * M * N], out[4 * M * N];

static int result(void)
{
  int sum = 0;
  for (int k = 0; k < 4 * M * N; k++)
    sum += out[k] * (k % 11 - 3);
  memset(out, 0, sizeof out);
  return sum;
}

static int nest(int m, int n, const int *restrict a, int *restrict b)
{
  int k = 0;
#pragma acc kernels copyin(a[0 : m * n]) copy(b[0 : m * n])
  {
    k = 0;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        b[k] = a[k] * 2 + j;
        k++;
      }
  }
  return k;
}

static void pairs(int n, const int *restrict a, int *restrict b)
{
  int k = 3;
#pragma acc kernels copyin(a[0 : n]) copy(b[3 : 2 * n])
  for (int i = 0; i < n; i++) {
    b[k++] = a[i];
    b[k++] = a[i] * 2;
  }
}

static void falling(int n, const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : 3 * n]) copy(b[0 : 2 * n])
  {
    long k = 2L * n;
    for (int i = 3 * n - 1; i > 2; i -= 3) {
      k = k - 2;
      b[k] = a[i] + i;
      b[k + 1] = a[i - 1];
    }
  }
}

/* The inner loop doesn't run for every n; where it does not, k stays what it was. */
static void beside(int m, int n, int size, const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : m]) copy(b[0 : size])
  {
    int k = 0;
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++)
        b[k++] = a[i] - j;
      b[k++] = 1000 + i;
    }
  }
}

static void padded(int m, int n, int pad, const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : m * n]) copy(b[0 : m * (n + pad)])
  {
    int at = 0;
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++)
        b[at + j] = a[i * n + j];
      at += n + pad;
    }
  }
}

static void walking(int m, int n, const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : m * n]) copy(b[0 : m * n])
  for (int i = 0; i < m; i++) {
    const int *p = a + i * n;
    int *q = b + i * n;
    for (int j = 0; j < n; j++)
      *q++ = *p++ * 3 - i;
  }
}

static void product(int n, const int *restrict a, const int *restrict b, int *restrict c)
{
#pragma acc parallel loop collapse(2) copyin(a[0 : n * n], b[0 : n * n]) copy(c[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int *p = a + i * n, *q = b + j;
      int sum = 0;
      for (int k = 0; k < n; k++) {
        sum += *p++ * *q;
        q += n;
      }
      c[i * n + j] = sum;
    }
}

/* What moves k differs from iteration to iteration: the loops stay as they are. */
static int chosen(int n, const int *restrict a, int *restrict b)
{
  int k = 0;
#pragma acc kernels copyin(a[0 : n]) copy(b[0 : n])
  for (int i = 0; i < n; i++)
    if (a[i] % 3) {
      b[k] = a[i];
      k++;
    }
  return k;
}

static void triangle(int n, const int *restrict a, int *restrict b)
{
#pragma acc kernels copyin(a[0 : n * n]) copy(b[0 : n * (n + 1) / 2])
  {
    int k = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        b[k++] = a[i * n + j];
  }
}

int main(void)
{
  for (int k = 0; k < 4 * M * N; k++)
    in[k] = k * 37 % 101 - 20;
  int last = nest(M, N, in, out);
  printf("%d %d ", last, result());
  pairs(N, in, out);
  printf("%d ", result());
  falling(N, in, out);
  printf("%d ", result());
  beside(M, N, M * (N + 1), in, out);
  printf("%d ", result());
  beside(M, -2, M, in, out);
  printf("%d ", result());
  padded(M, N, 4, in, out);
  printf("%d ", result());
  walking(M, N, in, out);
  printf("%d ", result());
  product(M, in, in, out);
  printf("%d ", result());
  last = chosen(M * N, in, out);
  printf("%d %d ", last, result());
  triangle(M, in, out);
  printf("%d\n", result());
  return 0;
}
