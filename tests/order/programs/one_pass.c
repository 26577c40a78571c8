/* What is done to each element of a matrix, and columns that are added up of what that leaves. */
#include "../../middle/programs/middle.h"

#define N 211
static double D[N][N];
static float A[N][N], B[N][N], u[N], v[N], w[N], x[N], y[N], z[N];

static void fill(void)
{
  FILL2(A);
  FILL2(B);
  FILL2(D);
  FILL(u);
  FILL(v);
  FILL(w);
  FILL(x);
  FILL(y);
  FILL(z);
}

#define RESULT (DIGEST(A) ^ DIGEST(B) * 3 ^ DIGEST(x) * 5 ^ DIGEST(D) * 7)

static unsigned long updated(int n)
{
  int i, j;
#pragma acc kernels
  {
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        A[i][j] = A[i][j] + u[i] * v[j] + w[i] * z[j];
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        x[i] = x[i] + 3 * A[j][i] * y[j];
  }
  return RESULT;
}

/* a sum for each column, and two statements for each element */
static unsigned long summed(int m, int n)
{
#pragma acc kernels
  {
    for (int row = 1; row < m; row++)
      for (int column = 0; column < n; column++) {
        D[row][column] /= 3;
        B[row][column] += D[row][column] * u[row];
      }
    for (int k = 0; k < n; k++) {
      double sum = v[k];
      for (int i = 1; i < m; i++)
        sum += D[i][k] - B[i][k] / 2;
      x[k] = sum;
    }
  }
  return RESULT;
}

/* columns below the diagonal */
static unsigned long triangle(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        A[i][j] += u[i] * v[j];
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++)
        x[j] += A[i][j] * y[i];
  }
  return RESULT;
}

/* sums are needed while elements change */
static unsigned long needed(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += u[i] * x[j];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        x[j] += A[i][j] * y[i];
  }
  return RESULT;
}

/* the row below has not changed yet */
static unsigned long below(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += u[i] * v[j];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        x[j] += A[i + 1][j] * y[i];
  }
  return RESULT;
}

/* sums begin with the last row */
static unsigned long begun(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += u[i] * v[j];
    for (int j = 0; j < n; j++) {
      x[j] = A[n - 1][j];
      for (int i = 0; i < n; i++)
        x[j] += A[i][j] * y[i];
    }
  }
  return RESULT;
}

static unsigned long fewer(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += u[i] * v[j];
    for (int j = 0; j < n; j++)
      for (int i = 2; i < n; i++)
        x[j] += A[i][j] * y[i];
  }
  return RESULT;
}

static unsigned long rows(int n)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += u[i] * v[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        x[i] += A[i][j] * y[j];
  }
  return RESULT;
}

#define EACH(show_, n) do { \
    fill(); \
    show_(updated(n)); \
    show_(summed(n, N)); \
    show_(summed(N, n)); \
    show_(triangle(n)); \
    show_(needed(n)); \
    show_(below(n)); \
    show_(begun(n)); \
    show_(fewer(n)); \
    show_(rows(n)); \
  } while (0)

int main(void)
{
  EACH(EMPTY, 0);
  EACH(EMPTY, 1);
  EACH(DEVICE, 63);
  EACH(DEVICE, 130);
  EACH(DEVICE, N - 1);
  return 0;
}
