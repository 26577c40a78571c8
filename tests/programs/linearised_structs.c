// Linearised arrays of structs and of short arrays: members, members of members, arrays in members, under conditions that
// data decide; and a row that is longer than its stride, which runs on the host.
// prints: 294 205514 215634 4710 5738
// launches: 4
#include <stdio.h>
#include <string.h>

struct vector {
  float x, y;
};
struct cell {
  struct vector at;
  int kind, f[3];
};

#define IDX(i, j, k) (((i) * ny + (j)) * nz + (k))

static struct cell box[3 * 5 * 7], moved[3 * 5 * 7];
static int in[6 * 11][3], out[6 * 11][3];

static void fill(void)
{
  for (int k = 0; k < 3 * 5 * 7; k++)
    box[k] = (struct cell){{(float)(k % 7), (float)(k % 5)}, k % 3, {k % 11, k % 13, k % 4}};
  memset(moved, 0, sizeof moved);
  for (int k = 0; k < 6 * 11; k++)
    for (int q = 0; q < 3; q++)
      in[k][q] = k * 5 % 17 + q, out[k][q] = 0;
}

static int of_cells(const struct cell *p)
{
  float sum = 0;
  for (int k = 0; k < 3 * 5 * 7; k++)
    sum += (p[k].at.x + 2 * p[k].at.y + (float)(3 * p[k].f[0] + 5 * p[k].f[1] + 7 * p[k].f[2])) * (float)(k % 4);
  return (int)sum;
}

static int of_arrays(int (*p)[3])
{
  int sum = 0;
  for (int k = 0; k < 6 * 11; k++)
    for (int q = 0; q < 3; q++)
      sum += p[k][q] * (k % 5 + q);
  return sum;
}

static void members(int nx, int ny, int nz, const struct cell *a, struct cell *b)
{
#pragma acc kernels copyin(a[0 : nx * ny * nz]) copy(b[0 : nx * ny * nz])
  for (int i = 1; i < nx - 1; i++)
    for (int j = 1; j < ny - 1; j++)
      for (int k = 1; k < nz - 1; k++) {
        b[IDX(i, j, k)].at.x = a[IDX(i - 1, j, k)].at.y + a[IDX(i, j + 1, k)].at.x;
        b[IDX(i, j, k)].at.y = a[IDX(i, j, k - 1)].at.y * 2;
      }
}

static void streamed(int ny, int nz, const struct cell *a, struct cell *b)
{
#pragma acc kernels copyin(a[0 : ny * nz]) copy(b[0 : ny * nz])
  for (int j = 0; j < ny; j++)
    for (int k = 0; k < nz; k++)
      if (a[j * nz + k].kind != 1)
        for (int q = 0; q < 3; q++)
          b[j * nz + k].f[q] = a[j * nz + k].f[2 - q] + 100 * q;
}

static void whole(int m, int n, struct cell *a)
{
#pragma acc kernels copy(a[0 : m * n])
  for (int i = 1; i < m; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = a[j];
}

static void arrays(int m, int n, int (*a)[3], int (*b)[3])
{
#pragma acc kernels copyin(a[0 : m * n][0 : 3]) copy(b[0 : m * n][0 : 3])
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++)
      for (int q = 0; q < 3; q++)
        b[i * n + j][q] = a[i * n + j - 1][2 - q];
}

static void beyond(int m, int n, int stride, int (*a)[3])
{
#pragma acc kernels copy(a[0 : (m - 1) * stride + n][0 : 3])
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      a[i * stride + j][1] = a[i * stride + j][1] * 2 + i;
}

int main(void)
{
  fill();
  members(3, 5, 7, box, moved);
  printf("%d ", of_cells(moved));
  streamed(15, 7, box, moved);
  printf("%d ", of_cells(moved));
  whole(15, 7, moved);
  printf("%d ", of_cells(moved));
  arrays(6, 11, in, out);
  printf("%d ", of_arrays(out));
  beyond(3, 11, 9, out);
  printf("%d\n", of_arrays(out));
  return 0;
}
