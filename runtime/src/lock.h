/* One lock for all of the runtime: every entry point takes it, whatever thread it is called from. */
#ifndef ACCSHARE_LOCK_H
#define ACCSHARE_LOCK_H

/* Prepares the runtime at the first call: fork handlers, the report at exit. */
void lock_take(void);
void lock_give(void);
/* Waits, with the lock given away, until lock_wake is called. */
void lock_wait(void);
void lock_wake(void);

#endif
