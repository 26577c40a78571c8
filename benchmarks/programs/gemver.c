/* A matrix that two outer products are added to, and three products of it with vectors: A += u v^T + w z^T;
 * x = (A^T y) / 4 + z; r = 2 A x, s = A^T u.
 *
 *   gemver [n [repeats]]
 */
#include "program.h"

static void multiply(int n, real A[restrict n][n], const real *restrict u, const real *restrict v,
                     const real *restrict w, const real *restrict z, const real *restrict y, real *restrict x,
                     real *restrict r, real *restrict s)
{
#pragma acc kernels copy(A[0:n][0:n]) copyin(u[0:n], v[0:n], w[0:n], z[0:n], y[0:n]) copyout(x[0:n], r[0:n], s[0:n])
  {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] += u[i] * v[j] + w[i] * z[j];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      x[i] = z[i];
      for (int j = 0; j < n; j++)
        x[i] += A[j][i] * y[j] / 4;
    }
    for (int i = 0; i < n; i++)
      s[i] = 0;
#pragma omp parallel for reduction(+ : s[:n])
    for (int i = 0; i < n; i++) {
      r[i] = 0;
      for (int j = 0; j < n; j++) {
        r[i] += 2 * A[i][j] * x[j];
        s[j] += A[i][j] * u[i];
      }
    }
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 2048), repeats = argument(argc, argv, 2, 1);
  size_t size = (size_t)n * n;
  real *A = vector(size), *given = vector(5 * (size_t)n), *found = vector(3 * (size_t)n);
  fill(5 * (size_t)n, given, -1, 1, 1);
  const real *u = given, *v = u + n, *w = v + n, *z = w + n, *y = z + n;

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    fill(size, A, -1, 1, 2);
    start(&watch);
    multiply(n, (real(*)[n])A, u, v, w, z, y, found, found + n, found + 2 * (size_t)n);
    stop(&watch);
  }

  print_checksum(found, 3 * (size_t)n * sizeof(real));
  print_time(&watch);
  return 0;
}
