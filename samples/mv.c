/* Matrix-vector product: y = A x.
 *
 *   accshare-cc -O2 mv.c -o mv && ./mv [rows [columns [repeats]]]
 *
 * A thread owns a row, so neighbouring threads read A with a stride of a whole row, and all of them read all of x.
 */
#include "sample.h"

static void multiply(int rows, int columns, float A[rows][columns], float x[columns], float y[rows])
{
#pragma acc kernels loop copyin(A[0:rows][0:columns], x[0:columns]) copyout(y[0:rows])
#pragma acc share(A[TB_X][*]:coalesce, x[*])
  for (int i = 0; i < rows; i++) {
    float sum = 0.0f;
    for (int j = 0; j < columns; j++)
      sum += A[i][j] * x[j];
    y[i] = sum;
  }
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 2048);
  int columns = argument(argc, argv, 2, rows);
  int repeats = argument(argc, argv, 3, 1);
  float(*A)[columns] = allocate(sizeof(float[rows][columns]));
  float *x = allocate(sizeof(float[columns]));
  float *y = allocate(sizeof(float[rows]));

  /* Small whole numbers: every sum is exact in a float, in any order. */
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      A[i][j] = (float)((i * 5 + j * 3) % 9 - 4);
  for (int j = 0; j < columns; j++)
    x[j] = (float)(j % 7 - 3);

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    multiply(rows, columns, A, x, y);
    stop(&watch);
  }

  print_checksum(y, sizeof(float[rows]));
  print_time(&watch);
  free(A);
  free(x);
  free(y);
  return 0;
}
