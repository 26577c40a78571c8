// Linearised arrays of two and three dimensions, also of rows three times their length, reached by macros, by pointers to
// rows and by unsigned numbers; sizes that are multiples of nothing.
// prints: 54614 30312 68726 10246 214265 83739 83739
// launches: 7
#include <stdio.h>
#include <string.h>

static float plane[37 * 41], other[37 * 41];
static double box[5 * 7 * 19], edge[5 * 7 * 19];
static unsigned char rgb[3 * 23 * 29], blurred[3 * 23 * 29], grey[23 * 29];

static void fill(void)
{
  for (int k = 0; k < 37 * 41; k++)
    plane[k] = (float)(k * 7 % 11);
  for (int k = 0; k < 5 * 7 * 19; k++)
    box[k] = k * 5 % 13;
  for (int k = 0; k < 3 * 23 * 29; k++)
    rgb[k] = (unsigned char)(k * 31 % 253);
}

static int of_floats(const float *p, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += p[k] * (k % 5);
  return (int)sum;
}

static int of_bytes(const unsigned char *p, int n)
{
  int sum = 0;
  for (int k = 0; k < n; k++)
    sum += p[k] * (k % 3);
  return sum;
}

static void stencil(int m, int n, const float *restrict now, float *restrict next)
{
#pragma acc parallel loop collapse(2) copyin(now[0 : m * n]) copy(next[0 : m * n])
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      next[i * n + j] = now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[j + 1 + n * i];
}

#define IDX(i, j, k) (((i) * ny + (j)) * nz + (k))

static void in_a_box(int nx, int ny, int nz, const double *restrict u, double *restrict w)
{
#pragma acc parallel loop copyin(u[0 : nx * ny * nz]) copy(w[0 : nx * ny * nz])
  for (int i = 1; i < nx - 1; i++)
    for (int j = 1; j < ny - 1; j++)
      for (int k = 0; k < nz; k++)
        w[IDX(i, j, k)] = u[IDX(i + 1, j, k)] - u[IDX(i - 1, j, k)] + u[IDX(i, j + 1, k)] + u[IDX(i, j - 1, k)];
}

static void by_rows(int m, int n, const float *restrict from, float *restrict to)
{
#pragma acc parallel loop copyin(from[0 : m * n]) copy(to[0 : m * n])
  for (int i = 0; i < m; i++) {
    const float *row = from + i * n;
    float *target = to + (m - 1 - i) * n;
    for (int j = 0; j < n; j++)
      target[j] = 2 * row[n - 1 - j];
  }
}

static void by_size(size_t m, size_t n, const float *restrict from, float *restrict to)
{
#pragma acc parallel loop collapse(2) copyin(from[0 : m * n]) copy(to[0 : m * n])
  for (size_t i = 0; i < m; i++)
    for (size_t j = 1; j < n; j++)
      to[i * n + j - 1] = from[i * n + j] + (float)i;
}

static void blur(int height, int width, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc parallel loop collapse(2) copyin(in[0 : 3 * height * width]) copy(out[0 : 3 * height * width])
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++)
      for (int c = 0; c < 3; c++) {
        int sum = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++)
            sum += (2 - dx * dx) * in[3 * ((y + dy) * width + x + dx) + c];
        out[3 * (y * width + x) + c] = (unsigned char)(sum / 12);
      }
}

static void to_grey(int height, int width, const unsigned char *restrict in, unsigned char *restrict out)
{
#pragma acc parallel loop collapse(2) copyin(in[0 : 3 * height * width]) copy(out[0 : height * width])
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      out[y * width + x] = (unsigned char)((77 * in[3 * (y * width + x)] + 150 * in[3 * (y * width + x) + 1] +
                                            29 * in[3 * (y * width + x) + 2]) >> 8);
}

int main(void)
{
  fill();
  stencil(37, 41, plane, other);
  printf("%d", of_floats(other, 37 * 41));
  by_rows(37, 41, plane, other);
  printf(" %d", of_floats(other, 37 * 41));
  by_size(37, 41, plane, other);
  printf(" %d", of_floats(other, 37 * 41));
  in_a_box(5, 7, 19, box, edge);
  double sum = 0;
  for (int k = 0; k < 5 * 7 * 19; k++)
    sum += edge[k] * (k % 7);
  printf(" %d", (int)sum);
  blur(23, 29, rgb, blurred);
  printf(" %d", of_bytes(blurred, sizeof blurred));
  to_grey(23, 29, rgb, grey);
  printf(" %d", of_bytes(grey, sizeof grey));
  to_grey(29, 23, rgb, grey);
  printf(" %d\n", of_bytes(grey, sizeof grey));
  return 0;
}
