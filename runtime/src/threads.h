/* What this process may start. */
#ifndef ACCSHARE_THREADS_H
#define ACCSHARE_THREADS_H

#include <stdbool.h>

/* Whether `count` more threads, or processes, can run at the same time: limits of users and of containers count both. */
bool threads_can_start(unsigned count);

#endif
