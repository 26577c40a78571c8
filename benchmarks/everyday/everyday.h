/* What the everyday programs share: random inputs, results to compare, and a check inside.
 *
 *   accshare-cc -O2 -I../../samples heat.c -lm -o heat        (or gcc, or gcc -fopenmp)
 *
 * Every program takes its size and how often to repeat its hot part. It checks its results by a property that they have,
 * prints some of them for a comparison with other builds' within rounding, and tells the time of its hot part.
 */
#ifndef EVERYDAY_H
#define EVERYDAY_H

#include "sample.h"

#include <math.h>
#include <string.h>

/* A sequence without a pattern, the same for every build. */
static inline unsigned next_random(unsigned *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* From [0, 1). */
static inline float uniform(unsigned *state) { return (float)(next_random(state) >> 8) * 0x1p-24f; }

#define SEED 2463534242u

/* A figure that every build has to come to, but for rounding. */
static inline void result(const char *name, double value) { printf("result %s %.17g\n", name, value); }

/* Ends the program where a result can't be right. */
static inline void require(int holds, const char *what)
{
  if (!holds) {
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
  }
}

#endif
