/* How many processors this process may keep busy. */
#ifndef ACCSHARE_PROCESSORS_H
#define ACCSHARE_PROCESSORS_H

#include <sched.h>
#include <stdbool.h>

/* Where the program may run: the processors of its first thread, whatever one of its threads was bound to later. False where
 * there are more than `allowed` has room for, or nobody tells. */
bool processors_allowed(cpu_set_t *allowed);
/* How many these are, or as many as there are. */
unsigned processors_all(void);

/* What the limits of control groups, version 1 or 2, leave of so many processors; at least one. `root` is what stands before
 * /proc and /sys: "" on a machine. */
unsigned processors_limited(unsigned processors, const char *root);


/* Moves the calling thread off `processor`, should the scheduler have put it there beside the thread that has work for it: it
 * may take it milliseconds to find out that both stay busy. */
void processors_leave(int processor);

#endif
