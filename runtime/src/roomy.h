/* Work that needs a large stack, as compilers do, whatever little the calling thread has. */
#ifndef ACCSHARE_ROOMY_H
#define ACCSHARE_ROOMY_H

#include <stdbool.h>

/* Calls `work`: where the calling thread has little left of its stack, in another one, for which it waits. Threads that
 * `work` starts have large stacks. */
void roomy_call(void (*work)(void *), void *argument);

/* Whether the calling thread is such a thread: then another one holds the lock for it. */
bool roomy_here(void);

#endif
