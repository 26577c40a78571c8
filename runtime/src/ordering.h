/* What one thread did before another one goes on. ThreadSanitizer sees no order in the runtime, which is compiled without it, unless it
 * is told. */
#ifndef ACCSHARE_ORDERING_H
#define ACCSHARE_ORDERING_H

#include <stdatomic.h>
#include <stdbool.h>

/* Tells it that what comes before `ordering_hand_on` is over behind an `ordering_receive` of the same address. */
void ordering_hand_on(void *address);
void ordering_receive(void *address);

/* A flag that goes up once: who finds it up finds all that was done before. */
void ordering_raise(atomic_bool *flag);
bool ordering_raised(atomic_bool *flag);

#endif
