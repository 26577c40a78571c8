/* One of the loops of ../two_levels.c, with all extents alike: -DLOOPS=name says which.
 *
 *   two_levels [n [repeats]]
 */
#include "program.h"
#include <math.h>
#include <string.h>

#ifndef LOOPS
#define LOOPS product
#endif
#define TEXT(x) #x
#define NAME(loops) TEXT(loops)
#define FILE_OF(loops) TEXT(../two_levels/loops.c)
#include FILE_OF(LOOPS)

/* steps in time, and samples of a Fourier sum */
enum { TIMES = 20, SAMPLES = 256 };

#define VECTOR(k) (x + (k) * (size_t)n)
#define MATRIX(k) ((real(*)[n])(x + (k) * (size_t)n * n))
#define BEHIND(k) (x + (2 * (size_t)n + (k)) * n) /* a vector behind two matrices */
#define CUBE(k) ((real(*)[n][n])MATRIX((k) * (size_t)n))
#define CUBES(k) ((real(*)[n][n][n])CUBE(k))

#define RUN_two_products two_products(n, MATRIX(0), MATRIX(1), MATRIX(2), MATRIX(3), MATRIX(4))
#define RUN_three_products \
  three_products(n, MATRIX(0), MATRIX(1), MATRIX(2), MATRIX(3), MATRIX(4), MATRIX(5), MATRIX(6))
#define RUN_atax atax(n, MATRIX(0), BEHIND(0), BEHIND(1), BEHIND(2))
#define RUN_bicg bicg(n, MATRIX(0), BEHIND(0), BEHIND(1), BEHIND(2), BEHIND(3))
#define RUN_covariance covariance(n, MATRIX(0), MATRIX(1), BEHIND(0))
#define RUN_doitgen doitgen(n, CUBE(0), MATRIX(2 * (size_t)n), CUBE(1))
#define RUN_product product(n, 2, 4, MATRIX(0), MATRIX(1), MATRIX(2))
#define RUN_gemver \
  gemver(n, 2, 4, MATRIX(0), BEHIND(0), BEHIND(1), BEHIND(2), BEHIND(3), BEHIND(4), BEHIND(5), BEHIND(6), BEHIND(7))
#define RUN_gesummv gesummv(n, 2, 4, MATRIX(0), MATRIX(1), BEHIND(0), BEHIND(1))
#define RUN_jacobi_2d jacobi_2d(n, TIMES, MATRIX(0), MATRIX(1))
#define RUN_jacobi_2d_alt jacobi_2d_alt(n, TIMES, MATRIX(0), MATRIX(1))
#define RUN_mvt mvt(n, MATRIX(0), BEHIND(0), BEHIND(1), BEHIND(2), BEHIND(3))
#define RUN_symm symm(n, 2, 4, MATRIX(0), MATRIX(1), MATRIX(2))
#define RUN_syr2k syr2k(n, 2, 4, MATRIX(0), MATRIX(1), MATRIX(2))
#define SAMPLE(k) (x + (k) * SAMPLES)
#define POINTS(k) (x + 4 * SAMPLES + (k) * (size_t)n)
#define RUN_mri_q \
  mri_q(n, SAMPLES, SAMPLE(0), SAMPLE(1), SAMPLE(2), SAMPLE(3), POINTS(0), POINTS(1), POINTS(2), POINTS(3), POINTS(4))
#define RUN_penta_coefficients penta_coefficients(n, CUBE(0), CUBE(1), CUBES(2))
#define RUN_penta_substitution penta_substitution(n, CUBES(0), CUBES(5))
#define JOINED(a, b) a##b
#define RUN(loops) JOINED(RUN_, loops)

static int is(const char *name)
{
  static const char loops[] = NAME(LOOPS);
  return strcmp(loops, name) == 0;
}

static size_t elements(int n)
{
  size_t square = (size_t)n * n;
  if (is("penta_coefficients") || is("penta_substitution"))
    return 8 * square * n;
  if (is("doitgen"))
    return 2 * square * n + square;
  return is("mri_q") ? 4 * SAMPLES + 5 * (size_t)n : 7 * square + 8 * (size_t)n;
}

/* Inputs with which all that is added up is a small whole number. */
static void prepare(int n, real *x)
{
  fill(elements(n), x, -1, 1, 1);
  if (is("covariance")) /* means are 0 */
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        MATRIX(0)[i][j] = i % 2 ? -MATRIX(0)[i - 1][j] : i == n - 1 ? 0 : MATRIX(0)[i][j];
  if (is("penta_substitution")) /* no more than four neighbours hang on one another */
    for (size_t i = 0; i < 5 * (size_t)n * n * n; i++)
      if (i % n % 4 == 3 || (i % n % 4 == 2 && i >= 4 * (size_t)n * n * n))
        x[i] = 0;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 512), repeats = argument(argc, argv, 2, 1);
  size_t size = elements(n);
  real *x = vector(size), *input = vector(size);
  prepare(n, input);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    memcpy(x, input, size * sizeof(real));
    start(&watch);
    RUN(LOOPS);
    stop(&watch);
  }

  if (is("mri_q")) /* sines and cosines of whole turns have errors of their own */
    for (size_t i = 0; i < size; i++)
      x[i] = rintf(x[i]) + 0;
  print_checksum(x, size * sizeof(real));
  print_time(&watch);
  return 0;
}
