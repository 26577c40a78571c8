/* Transpose of a matrix, B = A^T.
 *
 *   mt [rows [columns [repeats]]]
 */
#include "program.h"

#ifdef COPY
#include <omp.h>
#include <string.h>

/* The best that any transpose can hope for: the same bytes, in the order in which they lie, by all threads. */
static void transpose(int rows, int columns, real A[rows][columns], real B[columns][rows])
{
  size_t bytes = sizeof(real[rows][columns]);
#pragma omp parallel
  {
    size_t threads = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
    size_t begin = bytes * thread / threads, end = bytes * (thread + 1) / threads;
    memcpy((char *)B + begin, (const char *)A + begin, end - begin);
  }
}
#else
static void transpose(int rows, int columns, real A[rows][columns], real B[columns][rows])
{
#pragma acc kernels loop copyin(A[0:rows][0:columns]) copyout(B[0:columns][0:rows])
  for (int i = 0; i < columns; i++)
    for (int j = 0; j < rows; j++)
      B[i][j] = A[j][i];
}
#endif

int main(int argc, char **argv)
{
  int rows = argument(argc, argv, 1, 2048), columns = argument(argc, argv, 2, rows);
  int repeats = argument(argc, argv, 3, 1);
  size_t size = (size_t)rows * columns;
  real *A = vector(size), *B = vector(size);
  fill(size, A, -1000, 1000, 1);
  fill(size, B, 0, 0, 2);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    start(&watch);
    transpose(rows, columns, (real(*)[columns])A, (real(*)[rows])B);
    stop(&watch);
  }

  print_checksum(B, size * sizeof(real));
  print_time(&watch);
  return 0;
}
