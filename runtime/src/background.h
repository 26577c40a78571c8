/* What takes long and nobody waits for, on a thread of the runtime's own. */
#ifndef ACCSHARE_BACKGROUND_H
#define ACCSHARE_BACKGROUND_H

#include <stdbool.h>

/* Has `work` called there, behind what was asked for before; false when it can't be. It must not take the runtime's lock. */
bool background_do(void (*work)(void *), void *argument);
/* Whether the calling thread is that thread. */
bool background_here(void);
/* From now on it runs where nobody else wants to; threads that it starts inherit that. */
void background_yield(void);

/* Whether the process ends, so that nothing more is to be begun. */
bool background_ends(void);
/* The process ends: nothing is begun any more. Returns when what was begun is over, as libraries that it calls are about to
 * be torn down. */
void background_stop(void);
/* This is a child made by fork, which has no such thread. */
void background_forked(void);

#endif
