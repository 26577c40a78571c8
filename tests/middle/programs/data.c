/* Arrays, structs and subscripts as people write them. */
#include <stdlib.h>
#include "middle.h"

#define N 70
#define M 53

static unsigned long linearised(int n, int m, float *restrict A, const float *restrict B)
{
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++) // grid y
    for (int j = 0; j < m; j++) // grid x
      A[i * m + j] = 2 * B[j + m * i] + i;
#pragma acc kernels
  {
    for (int i = 0; i < n - 1; i++) // grid y
      for (int j = 1; j < m; j++) // grid x
        A[i * m + j] += B[(i + 1) * m + j - 1];
    for (int k = 0; k < n; k += 2) // grid x
      A[k * m] = k;
  }
#pragma acc kernels
  for (int k = 0; k < n * m; k++) // grid x
    A[k] += 0.5f;
  return digest(0, A, sizeof(float) * n * m);
}

static unsigned long three(size_t n, size_t m, size_t l, int *restrict V, const int *restrict W)
{
#pragma acc kernels
  for (size_t i = 0; i < n; i++) // grid z
    for (size_t j = 0; j < m; j++) // grid y
      for (size_t k = 0; k < l; k++) // grid x
        V[i * m * l + j * l + k] = W[(i * m + j) * l + k] * 3 + (int)k;
#pragma acc kernels
  for (size_t i = 1; i < n - 1; i++) // grid z
    for (size_t j = 1; j < m - 1; j++) // grid y
      for (size_t k = 1; k < l - 1; k++) // grid x
        V[(i * m + j) * l + k] = W[((i - 1) * m + j) * l + k] + W[((i + 1) * m + j) * l + k] + W[(i * m + j - 1) * l + k]
                                 + W[(i * m + j + 1) * l + k] + W[(i * m + j) * l + k - 1] + W[(i * m + j) * l + k + 1];
  return digest(0, V, sizeof(int) * n * m * l);
}

/* the row is longer than what is used of it, and the other way round */
static unsigned long pitched(int n, int m, int pitch, int *A)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i * pitch + j] = A[i * pitch + j] * 2 + i;
  return digest(0, A, sizeof(int) * N * M);
}

static unsigned long vla(int n, int m, double A[n][m], double B[m][n])
{
  double C[n][m + 1];
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        A[i][j] = B[j][i] - j;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= m; j++)
        C[i][j] = j < m ? A[i][j] * 2 : -1;
  }
  return digest(digest(0, A, sizeof(double) * n * m), C, sizeof C);
}

static unsigned long rows(int n, int (*restrict A)[M], int (*restrict B)[M])
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++)
      A[i][j] = B[n - 1 - i][M - 1 - j];
  return digest(0, A, sizeof(int) * M * n);
}

struct point { float x, y; };
struct body { struct point at, speed; int id; unsigned char tag[4]; double mass; };
struct grid { int width, height; float scale; float *cells; };
typedef struct { int v[3]; } triple;
static struct body world[N];
static struct { int counts[N]; struct point corner; } stats;
static triple triples[N][3];

static unsigned long structs(int n, float dt)
{
  unsigned long h;
  for (int k = 0; k < N; k++) {
    world[k].at.x = noise(k);
    world[k].at.y = -k;
    world[k].speed.x = k / 2;
    world[k].speed.y = 0.25f * k;
    world[k].id = k * 3;
    world[k].mass = 1 + k;
    for (int j = 0; j < 4; j++)
      world[k].tag[j] = k + j;
  }
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) { // grid x
      world[i].at.x += world[i].speed.x * dt;
      world[i].at.y += world[i].speed.y * dt;
      world[i].tag[i % 4] ^= 5;
    }
    for (int i = 0; i < n; i++) {
      stats.counts[i] = world[i].id + world[i].tag[1] + (int)stats.corner.x;
      world[i].mass = world[i].mass * 2 + stats.counts[i];
    }
    for (int i = 0; i < n; i++) // grid z
      for (int j = 0; j < 3; j++) // grid y
        for (int k = 0; k < 3; k++) // grid x
          triples[i][j].v[k] = i + 10 * j + 100 * k;
  }
  h = DIGEST(stats.counts) ^ DIGEST(triples);
  for (int k = 0; k < N; k++)
    h = h * 31 + (unsigned long)(world[k].at.x * 4 + world[k].at.y * 8 + world[k].mass + world[k].tag[2] + 9999);
  return h;
}

/* bounds and pointers in a struct */
static unsigned long members(struct grid *g, const struct grid *old)
{
#pragma acc kernels
  for (int y = 1; y < g->height - 1; y++) // grid y
    for (int x = 1; x < g->width - 1; x++) // grid x
      g->cells[y * g->width + x] = old->scale * (old->cells[y * g->width + x - 1] + old->cells[(y + 1) * g->width + x]);
  return digest(0, g->cells, sizeof(float) * g->width * g->height);
}

/* copies of whole structs */
static unsigned long whole(int n)
{
  static struct point from[N], to[N];
  for (int k = 0; k < N; k++) {
    from[k].x = noise(k);
    from[k].y = k;
  }
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    struct point p = from[n - 1 - i];
    p.x += 1;
    to[i] = p;
  }
  return DIGEST(to);
}

/* pointers that move: into the middle, backwards */
static unsigned long shifted(int n, int *base)
{
  int *p = base + n;
#pragma acc kernels
  for (int i = -n; i < 0; i++) // grid x
    p[i] += i;
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid x
    *(p - 1 - i) *= 2;
  return digest(0, base, sizeof(int) * N);
}

static unsigned long indirect(int n, const int *restrict index, const float *restrict from, float *restrict to)
{
#pragma acc parallel loop copyin(from[0:N], index[0:N])
  for (int i = 0; i < n; i++) // grid x
    to[i] = from[index[i]] + from[index[index[i]]];
#pragma acc parallel loop copy(to[0:N])
  for (int i = 0; i < n; i++) // grid x
    to[index[i]] *= 2; // ACC311
  return digest(0, to, sizeof(float) * N);
}

static float table[N];

/* the array is declared, so all of it can move */
static unsigned long lookup(int n, const unsigned char *restrict key, int *restrict out)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) // grid x
    out[i] = (int)table[key[i] % N] + key[i];
  return digest(0, out, sizeof(int) * N);
}

/* data clauses larger, smaller and elsewhere */
static unsigned long clauses(int n, int from, int count, int *restrict A, int *restrict B)
{
#pragma acc parallel loop copy(A[from:count]) copyout(B[0:n])
  for (int i = 0; i < n; i++) {
    A[i] += i;
    B[i] = 2 * A[i];
  }
  return digest(digest(0, A, sizeof(int) * N), B, sizeof(int) * N);
}

int main(void)
{
  static float A[N * M], B[N * M];
  static int V[7 * 11 * 13], W[7 * 11 * 13], I[N * M], J[N * M];
  static double D[N][M], E[M][N];
  static int R[N][M], S[N][M], index[N], out[N];
  static unsigned char key[N];
  FILL(B); FILL(W); FILL2(E); FILL2(S); FILL(I); FILL(table);
  struct grid one = {M, N, 0.5f, A}, two = {M, N, 0.25f, B}, same = {M, N, 0.25f, A + 5}, less = {M, N - 1, 0.5f, A}, thin = {1, N, 1, A};
  for (int k = 0; k < N; k++) {
    index[k] = (k * 3) % N;
    key[k] = (unsigned char)(k * 37);
  }
  DEVICE(linearised(N, M, A, B));
  DEVICE(linearised(1, 1, A, B));
  EMPTY(linearised(0, M, A, B));
  DEVICE(three(7, 11, 13, V, W));
  DEVICE(three(3, 3, 3, V, W));
  DEVICE(pitched(N, 50, M, I));
  HOST(pitched(N, M, 50, I));
  DEVICE(vla(N, M, D, E));
  DEVICE(vla(1, 1, D, E));
  DEVICE(rows(N, R, S));
  DEVICE(structs(N, 0.5f));
  DEVICE(members(&one, &two));
  HOST(members(&less, &same));
  EMPTY(members(&thin, &two));
  DEVICE(whole(N));
  DEVICE(shifted(N / 2, J));
  DEVICE(indirect(N, index, B, A));
  DEVICE(lookup(N, key, out));
  DEVICE(clauses(40, 0, N, J, out));
  DEVICE(clauses(40, 0, 40, J, out));
  HOST(clauses(40, 1, 60, J, out));
  HOST(clauses(40, 0, 39, J, out));
  return 0;
}
