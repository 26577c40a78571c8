/* The sizes that regions meet: ACCSHARE_RECORD names a file, to which lines of JSON are added at exit, for the tuner; a profile
 * in JSON has them too. */
#ifndef ACCSHARE_SIZES_H
#define ACCSHARE_SIZES_H

#include <stdbool.h>

#include "../include/accshare_abi.h"
#include "text.h"

/* Whether anybody asks. */
bool sizes_wanted(void);
void sizes_met(const accshare_region *region, const char *const *names, const long *values, unsigned count);
void sizes_report(void);
/* The same as elements of a JSON array. */
void sizes_json(text *out);
/* In a child process: what its parent met is for the parent to tell. */
void sizes_forked(void);

#endif
