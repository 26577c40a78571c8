/* A change of basis along the last dimension of a three-dimensional array: A[r][q][p] = sum over s of A[r][q][s] B[s][p].
 *
 *   doitgen [r [q [p [repeats]]]]
 */
#include "program.h"

static void transform(int nr, int nq, int np, real A[nr][nq][np], real B[np][np], real sum[nr][nq][np])
{
#pragma acc data copy(A[0:nr][0:nq][0:np]) copyin(B[0:np][0:np]) create(sum[0:nr][0:nq][0:np])
  {
#pragma acc kernels loop present(A[0:nr][0:nq][0:np], B[0:np][0:np], sum[0:nr][0:nq][0:np])
    for (int r = 0; r < nr; r++)
      for (int q = 0; q < nq; q++)
        for (int p = 0; p < np; p++) {
          sum[r][q][p] = 0;
          for (int s = 0; s < np; s++)
            sum[r][q][p] += A[r][q][s] * B[s][p];
        }
#pragma acc kernels loop present(A[0:nr][0:nq][0:np], sum[0:nr][0:nq][0:np])
    for (int r = 0; r < nr; r++)
      for (int q = 0; q < nq; q++)
        for (int p = 0; p < np; p++)
          A[r][q][p] = sum[r][q][p];
  }
}

int main(int argc, char **argv)
{
  int nr = argument(argc, argv, 1, 128), nq = argument(argc, argv, 2, nr), np = argument(argc, argv, 3, nr);
  int repeats = argument(argc, argv, 4, 1);
  size_t size = (size_t)nr * nq * np;
  real *A = vector(size), *B = vector((size_t)np * np), *sum = vector(size);
  fill((size_t)np * np, B, -2, 2, 1);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, A, -2, 2, 2);
    start(&watch);
    transform(nr, nq, np, (real(*)[nq][np])A, (real(*)[np])B, (real(*)[nq][np])sum);
    stop(&watch);
  }

  print_checksum(A, size * sizeof(real));
  print_time(&watch);
  return 0;
}
