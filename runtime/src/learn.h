/* What regions take each way they can go, measured, so that a wrong estimate costs one execution and not every one
 * (docs/break-even.md).
 *
 * What was measured is kept for each region and size, powers of two of its operations and its outermost loop, and, on disk, from run to run. */
#ifndef ACCSHARE_LEARN_H
#define ACCSHARE_LEARN_H

#include <stdbool.h>

#include "program.h"

/* What is expected of one way. */
typedef struct prospect {
  bool possible; /* it can be taken, if not now then later */
  bool ready;    /* now, with nothing to open or to build */
  double seconds;
  double moving;  /* and seconds in which data travel, each time */
  double staying; /* and for data that stay there, so that they need not travel the next time */
} prospect;

/* What is expected of an execution of a region. */
typedef struct expectation {
  double operations;
  int size; /* that is alike (routes.h) */
  prospect ways[WAYS];
  const device *device; /* NULL: not known yet */
  const char *measured; /* why the way that is taken rests on measurements; NULL: it does not */
  bool wanted;          /* the device would be taken, or tried, if it were ready */
} expectation;

/* Whether anything is to be learned (ACCSHARE_LEARN). */
bool learn_wanted(void);

/* The way that an execution takes; from now on this thread measures it. `*expected` becomes what is known by now. */
way learn_begin(accshare_region *region, expectation *expected);
/* Whether this thread is measuring `region`. */
bool learn_measures(const accshare_region *region);
/* So many seconds of the execution count apart: data travelled, threads were started. */
void learn_apart(double seconds);
/* The execution is over, or tells nothing of others: it took what happens only once; or it failed, and is not to be tried again. */
void learn_end(const accshare_region *region);
void learn_drop(void);
void learn_failed(const accshare_region *region);

/* What is known of the steps of the region that this thread measures (remember.h), and what it found out. */
int learn_known_steps(const accshare_region *region);
void learn_steps(const accshare_region *region, int steps);

/* Adds what was learned to the file of all programs. */
void learn_store(void);

#endif
