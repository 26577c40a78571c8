/* Loops that combine, outside of parallel ones. The order of operations on every element stays, and with it the result. */
#include "../../middle/programs/middle.h"

#define N 70
static float A[N][N], B[N][N], C[N][N], x[N], y[N];
static int ragged[N][N];

static unsigned long columns(int m, int n)
{
#pragma acc kernels
  for (int k = 0; k < m; k++) // work-item
    for (int j = 0; j < n; j++) // grid x
      y[j] += A[k][j] * x[k] / 3;
  return DIGEST(y);
}

static unsigned long rows_of_b(int m, int n, int q)
{
#pragma acc kernels loop
  for (int i = 0; i < m; i++) // grid y
    for (int k = 0; k < q; k++) // work-item
      for (int j = 1; j < n; j++) // grid x
        C[i][j] += A[i][k] * B[k][j] / 7;
  return DIGEST(C);
}

static unsigned long outer_products(int m, int n, int q)
{
#pragma acc kernels
  for (int k = q - 1; k >= 0; k -= 2) // work-item
    for (int i = 0; i < m; i++) // grid y
      for (int j = 0; j < n; j++) { // grid x
        float product = A[i][k] * B[k][j];
        C[i][j] = C[i][j] - product / 3;
      }
  return DIGEST(C);
}

static unsigned long greatest(int m, int n)
{
#pragma acc kernels
  for (int k = 0; k < m; k++) // grid x
    for (int j = 0; j < n; j++) // grid x
      if (A[k][j] > y[j])
        y[j] = A[k][j];
  return DIGEST(y);
}

static unsigned long again(int times, int n)
{
#pragma acc kernels
  {
    for (int t = 0; t < times; t++) // work-item
      for (int j = 0; j < n; j++) // grid x
        x[j] *= y[j] / 50;
    for (int j = 0; j < n; j++) // grid x
      y[j] = x[j];
  }
  return DIGEST(x) ^ DIGEST(y);
}

/* values go from one element to another; a row is of use */
static unsigned long as_they_stand(int n)
{
#pragma acc kernels
  {
    for (int k = 0; k < n; k++) // work-item
      for (int j = 0; j < k; j++) // grid x
        ragged[0][j] += ragged[k][j] & 63;
    for (int k = 1; k < n; k++) // host
      for (int j = 0; j < n; j++) // grid x
        ragged[k][j] += ragged[k - 1][n - 1 - j] & 31;
    for (int k = 1; k < n; k++) { // host
      for (int j = 0; j < n; j++) // grid x
        y[j] += A[k][j];
      x[k] += y[k - 1];
    }
  }
  return DIGEST(ragged) ^ DIGEST(x) ^ DIGEST(y);
}

int main(void)
{
  FILL2(A);
  FILL2(B);
  FILL2(C);
  FILL(x);
  FILL(y);
  FILL2(ragged);
  DEVICE(columns(N, N));
  DEVICE(columns(1, 13));
  EMPTY(columns(0, N));
  DEVICE(rows_of_b(N, N - 1, 33));
  DEVICE(rows_of_b(3, N, N));
  DEVICE(outer_products(N, 9, N));
  DEVICE(greatest(N - 1, N));
  DEVICE(again(3, N));
  DEVICE(as_they_stand(40));
  return 0;
}
