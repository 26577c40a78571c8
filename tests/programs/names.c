// Variables of the user's that are called as generated ones would be.
// prints: 7239198
// launches: 1
#include <stdio.h>
#define N 40
static float A[N][N], A_local[N][N], C[N][N];

static void multiply(int n, int i_tile, int lane_in_group)
{
#pragma acc kernels loop
#pragma acc share(A[TB_Y][*]:coalesce, A_local[*][TB_X])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float A_local_row = i_tile;
      for (int k = 0; k < n; k++)
        A_local_row += A[i][k] * A_local[k][j] + lane_in_group;
      C[i][j] = A_local_row;
    }
}

int main(void)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i % 5;
      A_local[i][j] = j % 3;
    }
  multiply(37, 3, 2);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += C[i][j] * (i + j);
  printf("%.0f\n", sum);
  return 0;
}
