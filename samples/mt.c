/* Matrix transpose: B = A^T.
 *
 *   accshare-cc -O2 mt.c -o mt && ./mt [rows [columns [repeats]]]
 *
 * Each thread reads down a column of A, so neighbouring threads touch far-apart memory; the share line has a
 * block fetch its piece of A row by row first.
 */
#include "sample.h"

static void transpose(int rows, int columns, float A[rows][columns], float B[columns][rows])
{
#pragma acc kernels loop copyin(A[0:rows][0:columns]) copyout(B[0:columns][0:rows])
#pragma acc share(A[TB_X][TB_Y]:coalesce)
  for (int i = 0; i < columns; i++)
    for (int j = 0; j < rows; j++)
      B[i][j] = A[j][i];
}

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 2048);
  int columns = argument(argc, argv, 2, rows);
  int repeats = argument(argc, argv, 3, 1);
  float(*A)[columns] = allocate(sizeof(float[rows][columns]));
  float(*B)[rows] = allocate(sizeof(float[columns][rows]));

  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      A[i][j] = (float)((i * 31 + j * 17) % 4096);

  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    transpose(rows, columns, A, B);
    stop(&watch);
  }

  print_checksum(B, sizeof(float[columns][rows]));
  print_time(&watch);
  free(A);
  free(B);
  return 0;
}
