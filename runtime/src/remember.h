/* A small file, kept for all programs of the user, of what regions took (learn.h). */
#ifndef ACCSHARE_REMEMBER_H
#define ACCSHARE_REMEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "ways.h"

/* The first execution in a process touches pages and code for the first time, whichever way it goes: it is compared with other first ones. */
typedef enum turn { FIRST, LATER, TURNS } turn;

/* What was found out of steps: nothing, or that they are faster in bands, or sweep by sweep. */
enum { UNTOLD, IN_BANDS, IN_SWEEPS };

/* Of each way: the seconds an operation took, how often that was measured (0: never), how often it was not, as pages were touched for
 * the first time, how often in a row it was measured in vain, as another way was faster, and the seconds that the region took since. And the
 * way that is gone, and how steps of a loop over time run on threads. */
typedef struct measured {
  float rate[WAYS], since[WAYS];
  uint8_t count[WAYS], touched[WAYS], refuted[WAYS];
  uint8_t way, steps, unused;
} measured;

/* A region at one size. */
typedef struct remembered {
  uint64_t key;
  double spent; /* seconds, in all runs, as far as they were told */
  measured turns[TURNS];
  uint32_t device; /* which one was measured */
  uint32_t day;    /* when it was last changed */

} remembered;

/* A key that begins with what measurements depend on beside the region: the processor, the number of threads, the program. */
uint64_t remember_key(void);

/* What is known under `key`; false when nothing is. */
bool remember_find(uint64_t key, remembered *found);

/* Puts `count` of them into the file, which may have changed meanwhile, in place of older ones where there are many. Other processes
 * see each whole or not at all; failing is no error. */
void remember_store(const remembered *changed, unsigned count);

#endif
