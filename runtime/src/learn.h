/* What regions take on the host and by kernels, measured, so that a wrong estimate costs one execution and not every one
 * (docs/break-even.md).
 *
 * What was measured is kept for each region and size, a power of two of its operations, and, on disk, from run to run. */
#ifndef ACCSHARE_LEARN_H
#define ACCSHARE_LEARN_H

#include <stdbool.h>

#include "program.h"

typedef enum way { ON_HOST, BY_KERNELS } way;

/* What is expected of an execution of a region. */
typedef struct expectation {
  double operations;
  double seconds[2]; /* each way */
  const char *where; /* that kernels run */
  bool ready;        /* nothing has to be built for them */
  const char *measured; /* why the way that is taken rests on measurements; NULL: it does not */
} expectation;

/* Whether anything is to be learned (ACCSHARE_LEARN). */
bool learn_wanted(void);

/* The way that an execution takes; from now on this thread measures it. `*expected` becomes what is known by now. */
way learn_begin(accshare_region *region, expectation *expected);
/* Whether this thread is measuring `region`. */
bool learn_measures(const accshare_region *region);
/* The execution is over, or tells nothing of others: it took what happens only once. */
void learn_end(const accshare_region *region);
void learn_drop(void);

/* Adds what was learned to the file of all programs. */
void learn_store(void);

#endif
