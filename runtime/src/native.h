/* Regions that run by the program's own kernels: what accshare_api says of them, without the lock. */
#ifndef ACCSHARE_NATIVE_H
#define ACCSHARE_NATIVE_H

#include <stdbool.h>

#include "../include/accshare_abi.h"

/* Does what `native_begin` does, without the lock, for an execution that nobody needs to see; false where it can't. */
bool native_again(accshare_region *region, const accshare_datum *data, unsigned count, accshare_native *run);
bool native_begin(accshare_region *region, const accshare_datum *data, unsigned count, accshare_native *run);
void *native_scratch(accshare_native *run, unsigned long bytes);
/* Runs the work-groups, whoever holds the lock. */
void native_launch(const accshare_launch *launch, accshare_groups *groups, const void *arguments);
/* Whether somebody wants to know what regions and launches take; and what tells him. */
bool native_told(void);
void native_account(const accshare_native *run, const accshare_launch *launch, double seconds);
void native_end(accshare_native *run);
/* Ends what `native_again` has begun, without the lock; false where it was `native_begin`. */
bool native_ends_again(accshare_native *run);

#endif
