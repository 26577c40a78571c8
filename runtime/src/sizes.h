/* The sizes that regions meet, for the tuner: ACCSHARE_RECORD names a file, to which lines of JSON are added at exit. */
#ifndef ACCSHARE_SIZES_H
#define ACCSHARE_SIZES_H

#include "../include/accshare_abi.h"

void sizes_met(const accshare_region *region, const char *const *names, const long *values, unsigned count);
void sizes_report(void);
/* In a child process: what its parent met is for the parent to tell. */
void sizes_forked(void);

#endif
