/* Signals of threads that are not the program's. */
#ifndef ACCSHARE_SIGNALS_H
#define ACCSHARE_SIGNALS_H

#include <signal.h>

/* Blocks all signals but those that tell of what a thread itself does wrong: these are for the program's threads. A thread that
 * is started now has the same. `*before` is what pthread_sigmask is to set again. */
void signals_block(sigset_t *before);

#endif
