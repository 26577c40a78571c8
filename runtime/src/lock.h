/* One lock for all of the runtime: every entry point takes it, whatever thread it is called from. */
#ifndef ACCSHARE_LOCK_H
#define ACCSHARE_LOCK_H

#include <stdbool.h>

/* What the first call does before it takes the lock (process.c). */
extern void (*lock_first)(void);

void lock_take(void);
void lock_give(void);
/* Whether it was free, and is taken now. */
bool lock_try(void);
/* A lock that nobody has, for the child of a fork: it goes by another id than the thread that took the lock. */
void lock_renew(void);
/* Waits, with the lock given away, until lock_wake is called. */
void lock_wait(void);
void lock_wake(void);

#endif
