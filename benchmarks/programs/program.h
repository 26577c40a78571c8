/* What the programs share beside the samples' header: their element type, and inputs whose results are exact.
 *
 *   accshare-cc -O2 -I../../samples gemm.c -o gemm         (float; -DREAL=double for the other)
 *
 * Every program takes its sizes and then how often to repeat, prints a checksum of all results, and the time of its hot
 * part. Inputs are small whole numbers and factors powers of two wherever something is added up, so that every build prints
 * the same checksum.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "sample.h"

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

/* Seconds after which a program does not repeat any more. */
#define ENOUGH 3.0

/* Whether to run once more: `repeats` times, or until that takes too long. */
static inline int again(const struct stopwatch *watch, int repeats)
{
  return watch->runs == 0 || (watch->runs < repeats && watch->first + (watch->runs - 1) * watch->best < ENOUGH);
}

/* Whole numbers from `least` to `most` without a pattern. */
static inline void fill(size_t n, real *x, int least, int most, unsigned seed)
{
  unsigned state = 2463534242u + 97u * seed;
  for (size_t i = 0; i < n; i++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    x[i] = (real)(least + (int)(state % (unsigned)(most - least + 1)));
  }
}

static inline real *vector(size_t n) { return allocate(n * sizeof(real)); }

#endif
