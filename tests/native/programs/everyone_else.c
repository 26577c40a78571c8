// Sums over all others, in order, before and behind oneself: both parts of the loop keep a sum in a register.
// prints: floats 187.5000 52.2500
// prints: doubles -93.0000
// launches: 2
#include <stdio.h>

enum { N = 90, M = 70 };
static float B[N][M], C[N][M], D[N][M];
static double x[N], force[N];

static void added(int n, int m)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = n - 1; j >= 0; j--)
      for (int k = 0; k < m; k++)
        if (j != i)
          D[j][k] += C[i][k] + B[i][k];
}

static void pulled(int n)
{
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    force[i] = 0;
    for (int j = 0; j < n; j++)
      if (j != i)
        force[i] += x[j] - 0.25 * x[i];
  }
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    x[i] = i % 7;
    for (int k = 0; k < M; k++)
      B[i][k] = (i * 3 + k) % 11 * 0.25f, C[i][k] = (i + k * 5) % 13 - 6, D[i][k] = i == k;
  }
  added(N, M);
  pulled(N);
  double sum = 0, all = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      sum += D[i][k] * (i % 2 ? -1 : 1);
  printf("floats %.4f %.4f\n", D[7][9] + sum * 10, D[3][4] - sum * 8);
  for (int i = 0; i < N; i++)
    all += force[i] * (i % 3 - 1);
  printf("doubles %.4f\n", all);
}
