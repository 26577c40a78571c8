/* Inner loops that the work-items of a group share: results must be those of the loops as they stand. */
#include "../../middle/programs/middle.h"

#define N 101
static float A[N][N], B[N][N], C[N][N], x[N], y[N], z[N];
static int p[N][N], q[N][N], r[N];
static float cube[9][7][N], sums[9][7][N], lent[N], lent_too[N];

/* sums of rows, each by several work-items */
static unsigned long two_sums(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    float s = 0, t = x[i];
#pragma acc loop reduction(+ : s, t)
    for (int j = 0; j < n; j++) {
      s += A[i][j] * z[j];
      t += B[i][j] * z[j];
    }
    y[i] = s * 2 - t;
  }
  return DIGEST(y);
}

/* without a scalar, and with the target in the first iteration's hands */
static unsigned long in_place(int m, int first, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    r[i] *= 3;
    for (int j = first; j < n; j++)
      r[i] += p[i][j] ^ q[i][j];
    r[i] -= i;
  }
  return DIGEST(r);
}

/* a result that all work-items need again, and a minimum on top */
static unsigned long normalised(int m, int n)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    int most = p[i][0], all = 0;
    for (int j = 1; j < n; j++)
      if (p[i][j] > most)
        most = p[i][j];
    for (int j = 0; j < n; j++)
      all += most - p[i][j];
    for (int j = 0; j < n; j++)
      q[i][j] = (most - p[i][j]) * 5 + all;
  }
  return DIGEST(q);
}

/* one row's iterations in order, with a barrier behind each half */
static unsigned long in_time(int times, int n)
{
#pragma acc kernels
  for (int i = 1; i < n - 1; i++)
    for (int t = 0; t < times; t++) {
      for (int j = 1; j < n - 1; j++)
        q[i][j] = (p[i][j - 1] + p[i][j] + p[i][j + 1]) & 1023;
      for (int j = 1; j < n - 1; j++)
        p[i][j] = q[i][j];
    }
  return DIGEST(p) ^ DIGEST(q);
}

/* the same, with time outside: rows need nothing of one another */
static unsigned long sweeps(int times, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        q[i][j] = (p[i][j - 1] + p[i][j] + p[i][j + 1]) & 1023;
    for (int k = 1; k < n - 1; k++)
      for (int j = 1; j < n - 1; j++)
        p[k][j] = q[k][j] + t;
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* rows need their neighbours, and rows of different nests are others */
static unsigned long neighbours(int times, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        q[i][j] = (p[i - 1][j] + p[i][j]) & 1023;
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        p[i][j] = q[i][j];
  }
  return DIGEST(p) ^ DIGEST(q);
}

static unsigned long shorter(int times, int n)
{
#pragma acc kernels
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        q[i][j] = (p[i][j] * 3 + t) & 1023;
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        p[i][j] = q[i][n - 1 - j];
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* the same with as many steps as each row asks for, and what only one work-item does in between */
static unsigned long triangle(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) {
      int f = p[i][k] + k;
      for (int j = k + 1; j < n; j++)
        p[i][j] = (p[i][j] * 3 + f * q[k][j]) & 4095;
      p[i][k] -= p[i][n - 1];
    }
  return DIGEST(p);
}

/* sums again and again, of more and more, with a loop of the whole group in between that may have no iterations */
static unsigned long growing(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) {
      int s = r[i];
      for (int j = 0; j <= k + 40; j++)
        s += p[i][j];
      p[i][k] = s & 63;
      for (int l = k; l < 2; l++)
        for (int j = 1; j < n; j++)
          q[i][j] = q[i][j] * 3 + p[i][k] & 255;
    }
  return DIGEST(p) ^ DIGEST(q);
}

/* a loop in order inside of the one that is shared, and one outside of it that needs no barrier */
static unsigned long contracted(int m, int n, int k)
{
#pragma acc kernels
  for (int a = 0; a < m; a++)
    for (int b = 0; b < n; b++) {
      for (int c = 0; c < k; c++) {
        sums[a][b][c] = 0;
        for (int d = 0; d < k; d++)
          sums[a][b][c] += cube[a][b][d] * C[d][c];
      }
      for (int c = 0; c < k; c++)
        cube[a][b][c] = sums[a][b][c] / 64;
    }
  return DIGEST(cube) ^ DIGEST(sums);
}

static unsigned long columns(int m, int n, int k)
{
#pragma acc kernels
  for (int a = 0; a < m; a++) {
    float factor = x[a] + 1;
    for (int d = 0; d < n; d++)
      for (int c = 0; c < k; c++)
        cube[a][d][c] = cube[a][d][c] / 2 + factor;
    for (int d = 1; d < n; d++)
      for (int c = 0; c < k; c++)
        sums[a][0][c] += cube[a][d][c] + cube[a][d - 1][c];
  }
  return DIGEST(cube) ^ DIGEST(sums);
}

/* each has a scalar of its own in each iteration */
static unsigned long swapped(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      int old = p[i][j];
      p[i][j] = q[i][j];
      q[i][j] = old;
    }
    for (int j = 0; j < n; j++)
      p[i][j] += q[i][n - 1 - j];
  }
  return DIGEST(p) ^ DIGEST(q);
}

/* what the directives ask for */
static unsigned long asked_for(int m, int n)
{
#pragma acc parallel loop gang
  for (int i = 0; i < m; i++) {
    float s = 0;
#pragma acc loop vector reduction(+ : s)
    for (int j = 0; j < n; j++)
      s += A[i][j];
#pragma acc loop vector
    for (int j = 0; j < n; j++)
      B[i][j] -= s;
  }
  return DIGEST(B);
}

/* a row of its own for each iteration of the grid, which all work-items of that iteration see */
static unsigned long own_row(int m, int n)
{
#pragma acc kernels
  for (int a = 0; a < m; a++)
    for (int b = 0; b < n; b++) {
      float row[N];
      for (int c = 0; c < N; c++) {
        row[c] = 0;
        for (int d = 0; d < N; d++)
          row[c] += cube[a][b][d] * C[d][c];
      }
      for (int c = 0; c < N; c++)
        cube[a][b][c] = row[N - 1 - c] / 64;
    }
  return DIGEST(cube);
}

/* between sums, in time, and with two subscripts */
static unsigned long own_rows(int m, int times)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    int pair[2][N];
    for (int j = 0; j < N; j++) {
      pair[0][j] = p[i][j] & 255;
      pair[1][j] = q[i][j] & 255;
    }
    for (int t = 0; t < times; t++) {
      int s = 0;
      for (int j = 0; j < N; j++)
        s += pair[0][j] - pair[1][N - 1 - j];
      for (int j = 1; j < N - 1; j++)
        pair[1][j] = (pair[0][j - 1] + pair[0][j + 1] + s) & 255;
      for (int j = 0; j < N; j++) {
        pair[0][j] = (pair[1][j] * 3 + t) & 255;
        p[i][j] = pair[0][j] * 256 + pair[1][j];
      }
    }
  }
  return DIGEST(p);
}

/* one row for all iterations, which each sets anew; what the last one leaves is asked for */
static unsigned long lent_row(int m, int n)
{
#pragma acc kernels
  for (int a = 0; a < m; a++)
    for (int b = 0; b < n; b++) {
      for (int c = 0; c < N; c++) {
        lent[c] = 0;
        for (int d = 0; d < N; d++)
          lent[c] += cube[a][b][d] * C[d][c];
      }
      for (int c = 0; c < N; c++)
        cube[a][b][c] = lent[N - 1 - c] / 64;
    }
  return DIGEST(cube) + DIGEST(lent) * 3;
}

/* neither array alone keeps loops apart */
static unsigned long both_lent(int m, int n)
{
#pragma acc kernels
  for (int a = 0; a < m; a++)
    for (int b = 0; b < n; b++) {
      for (int c = 1; c < N; c++) {
        lent[c] = cube[a][b][c] * 3;
        lent_too[c] = cube[a][b][c - 1] + 1;
      }
      for (int c = 1; c < N; c++)
        cube[a][b][c] = lent[N - c] - lent_too[c * 7 % (N - 1) + 1];
    }
  return DIGEST(cube) + DIGEST(lent) * 3 + DIGEST(lent_too) * 5;
}

/* what iterations before the last one have left is asked for, too */
static unsigned long partly_lent(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < N - i; j++)
      lent[j] = A[i][j] + 1;
    for (int j = 0; j < N - i; j++)
      B[i][j] += lent[N - i - 1 - j];
  }
  return DIGEST(B) + DIGEST(lent) * 3;
}

/* an iteration needs what another one has left */
static unsigned long kept_row(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < N; j++)
      lent[j] = A[i][j] + 1;
    for (int j = 0; j < N; j++)
      B[i][j] += lent[N - 1 - j];
    for (int j = 0; j < 1; j++)
      lent[j] = i;
  }
  return DIGEST(B) + DIGEST(lent) * 3;
}

/* no local memory holds it */
static unsigned long large_row(int m)
{
#pragma acc kernels
  for (int i = 0; i < m; i++) {
    int row[13000];
    for (int j = 0; j < 13000; j++)
      row[j] = j * i & 255;
    for (int j = 0; j < N; j++)
      p[i][j] += row[12999 - j * 3];
  }
  return DIGEST(p);
}

int main(void)
{
  FILL2(A);
  FILL2(B);
  FILL2(C);
  FILL(x);
  FILL(y);
  FILL(z);
  FILL2(p);
  FILL2(q);
  FILL(r);
  for (int a = 0; a < 9; a++)
    for (int b = 0; b < 7; b++)
      for (int c = 0; c < N; c++)
        cube[a][b][c] = (a * 5 + b * 3 + c) % 17, sums[a][b][c] = c % 3;
  DEVICE(two_sums(N, N));
  DEVICE(two_sums(9, 33));
  DEVICE(two_sums(1, 0));
  DEVICE(in_place(N, 0, N));
  DEVICE(in_place(8, 31, 32));
  DEVICE(in_place(3, 5, 5));
  DEVICE(normalised(N, N));
  DEVICE(normalised(2, 1));
  DEVICE(in_time(5, N));
  DEVICE(in_time(1, 3));
  EMPTY(in_time(0, N));
  DEVICE(sweeps(5, N));
  DEVICE(sweeps(1, 3));
  EMPTY(sweeps(0, N));
  DEVICE(neighbours(4, N));
  DEVICE(shorter(4, N));
  DEVICE(triangle(N));
  DEVICE(triangle(2));
  DEVICE(growing(60));
  EMPTY(growing(1));
  DEVICE(contracted(9, 7, N));
  DEVICE(contracted(1, 2, 3));
  DEVICE(columns(9, 7, N));
  DEVICE(columns(2, 1, 5));
  DEVICE(swapped(N));
  DEVICE(swapped(1));
  DEVICE(own_row(9, 7));
  DEVICE(own_row(1, 2));
  DEVICE(own_rows(N, 4));
  DEVICE(own_rows(3, 0));
  DEVICE(lent_row(9, 7));
  DEVICE(lent_row(1, 2));
  EMPTY(lent_row(3, 0));
  DEVICE(both_lent(9, 7));
  DEVICE(partly_lent(20));
  DEVICE(kept_row(20));
  DEVICE(large_row(4));
  DEVICE(asked_for(N, N));
  DEVICE(asked_for(4, 1));
  EMPTY(asked_for(0, 4));
  return 0;
}
