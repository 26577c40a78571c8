// Bounds of loops that the compiler makes: of one that was bounded through another, of diagonals where there are none, and of rows that are passed in two parts,
// an array of no rows whose copy steps would read, and columns behind the last one where sums are kept in registers.
// prints: 1fec5663 83f06b48 557e1a94
// launches: 205
#include <stdio.h>
#include <string.h>

enum { N = 40 };
static float c[N][N], y[2 * N], x[2 * N];
static float e[N][N], f[N][N];
static long a[N][N], b[N][N], d[N][N], g[N][N], u[2 * N], v[N];

static void triangle(int m)
{
#pragma acc kernels
  for (int i = 0; i < 9; i++) {
    for (int j = 0; j < i + 1; j++)
      for (int k = 0; k < j; k++) {
        c[i][i] *= 0.5f;
        c[k][k] += 0.5f;
      }
    for (int j = i + 1; j <= m - 1; j++)
      for (int k = j; k >= 0; k--)
        y[k] -= 0.5f;
  }
}

static void corner(int m)
{
#pragma acc kernels
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++)
      for (int k = 0; k < i; k++)
        y[k + 2] += (k < j ? c[k][j] : k);
}

static void flat(int w, int n, int m, int q, float *v)
{
#pragma acc kernels
  for (int i = q; i-- > 0;)
    for (int j = 2; j < n; j++)
      for (int k = i; k < m; k++)
        for (int l = 0; l <= q - 1; l++)
          v[(j - 1) * w + j - 1] = v[(j - 1) * w + j - 1] * 0.5f + v[l * w + j] * 0.5f;
}

static void decaying(int n, int m)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        for (int l = 0; l < 9; l++)
          e[k][j] = e[k][j] * 0.5f + f[j][i] * f[l + 2][l];
}

static void diagonals(int n, int m, int q)
{
#pragma acc kernels
  {
    for (int i = 1; i < 3; i++)
      for (int j = i; j < n; j++) {
        for (int k = i; k < q; k++) {
          float r = x[k + 2] * c[k][k];
          y[j] += x[2] * e[k][k + 2];
          y[i] = r;
        }
        for (int k = q - 1; k >= 0; k--) {
          float r = 2;
          y[i] = y[i] * 0.5f + (j < m - 1 ? r : x[k]);
          if (x[k + 1] < c[k][k + 2])
            e[j][j] += x[j] * f[q - 1 - k][j];
          e[k][i - 1] = r;
        }
      }
    for (int i = q; i-- > 0;)
      y[i] += x[i] - c[i][i];
  }
}

static void rows(int w, int n, int m, int q, long A[w][w], long B[w][w], long C[w][w], long D[w][w], long *u, long *v)
{
#pragma acc kernels copy(A[0:w], B[0:w], C[0:w], D[0:w], u[0:2*w], v[0:w])
  for (int i = 0; i < n; i++) {
    for (int j = n - 1; j >= 0; j--)
      for (int k = 0; k < q; k++)
        C[j][k] = D[0][k] * u[j];
    for (int j = 2; j < n + 2; j++)
      for (int k = 0; k < q; k++)
        if (j > 2)
          v[j - 2] = A[j - 2][k] * u[j - 2];
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        if (j != i)
          D[j][k] = D[i][k] * B[i][k];
  }
}

static void fill(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = (float)(i * 5 % 7) - 3;
    u[i] = v[i] = i % 3 - 1;
    x[N + i] = y[i] = y[N + i] = (float)(i % 3);
    for (int j = 0; j < N; j++) {
      c[i][j] = (float)((i * 3 + j) % 5) - 2;
      e[i][j] = f[j][i] = (float)((i + j * 3) % 7) - 3;
      a[i][j] = g[i][j] = i + j;
      b[i][j] = (i * j) % 3 - 1;
      d[i][j] = i - j;
    }
  }
}

static unsigned hashed(unsigned hash, const void *bytes, size_t count)
{
  for (size_t k = 0; k < count; k++)
    hash = (hash ^ ((const unsigned char *)bytes)[k]) * 16777619u;
  return hash;
}

static unsigned all(unsigned hash)
{
  hash = hashed(hashed(hash, c, sizeof c), y, sizeof y);
  hash = hashed(hashed(hash, e, sizeof e), v, sizeof v);
  hash = hashed(hash, f, sizeof f);
  return hashed(hashed(hash, g, sizeof g), d, sizeof d);
}

int main(void)
{
  static const int sizes[][3] = {{0, 4, 3}, {5, 1, 0}, {1, 1, 1}, {2, 2, 5}, {7, 9, 13}, {17, 31, 20}};
  unsigned hash[3] = {0};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int *of = sizes[k];
    fill();
    triangle(of[1]);
    corner(of[1]);
    decaying(of[2], of[1]);
    flat(N, of[0], of[1], of[2], f[0]);
    hash[0] = all(hash[0]);
    diagonals(of[0], of[1], of[2]);
    hash[1] = all(hash[1]);
    rows(N, of[0], of[1], of[2], a, b, g, d, u, v);
    hash[2] = all(hash[2]);
  }
  printf("%08x %08x %08x\n", hash[0], hash[1], hash[2]);
  return 0;
}
