/* A small file, kept for all programs of the user, of what regions took (learn.h). */
#ifndef ACCSHARE_REMEMBER_H
#define ACCSHARE_REMEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "ways.h"

/* The first execution in a process touches pages and code for the first time, whichever way it goes: it is compared with other first ones. */
typedef enum turn { FIRST, LATER, TURNS } turn;

/* Of each way: the seconds an operation took, how often that was measured (0: never), and how often it was not, as pages were touched for
 * the first time. And the way that is gone. */
typedef struct measured {
  float rate[WAYS];
  uint8_t count[WAYS], touched[WAYS];
  uint8_t way, unused;
} measured;

/* A region at one size. */
typedef struct remembered {
  uint64_t key;
  double spent; /* seconds, in all runs, as far as their files tell */
  measured turns[TURNS];
  uint32_t device; /* which one was measured */
  uint32_t day; /* when it was last changed */
} remembered;

/* A key that begins with what measurements depend on beside the region: the processor, the number of threads, the program. */
uint64_t remember_key(void);

/* What is known under `key`; false when nothing is. The file is read for the first one. */
bool remember_find(uint64_t key, remembered *found);

/* Puts `count` of them into the file, which may have changed meanwhile, and drops the oldest where there are too many. Other
 * processes see all of that or nothing; failing is no error. */
void remember_store(const remembered *changed, unsigned count);

#endif
