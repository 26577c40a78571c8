/* The ways of regions that were measured often enough: most executions of a short one take it without the lock, and unseen by
 * clocks. Each thread knows its own. */
#ifndef ACCSHARE_ROUTES_H
#define ACCSHARE_ROUTES_H

#include "../include/accshare_abi.h"
#include "ways.h"

/* Sizes that are alike: the powers of two in a number of operations, at least 1, and in the iterations of the outermost loop. Stages of a
 * Fourier transform take as many operations each, and some of them ten times as long as others. */
int routes_size(const accshare_work *work);

/* The way of an execution that nobody needs to see; WAYS where it is to be decided and measured. */
way routes_find(const accshare_region *region, const accshare_work *work);
/* How many have passed unseen since one was measured, which from now on counts for them. */
unsigned routes_passed(const accshare_region *region, int size);
/* An execution took so many seconds, and the next ones would go the same way. */
void routes_open(const accshare_region *region, int size, way way, double seconds);

#endif
