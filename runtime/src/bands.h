/* Steps of a loop over time in bands, or sweep by sweep: bands are what the compiler expects to be faster, and an execution
 * that is long enough finds out whether they are. */
#ifndef ACCSHARE_BANDS_H
#define ACCSHARE_BANDS_H

#include <stdbool.h>

#include "../include/accshare_abi.h"

/* Whether the next block of steps, the first of `left`, runs in bands. */
bool bands_next(accshare_region *region, const accshare_datum *data, unsigned count, accshare_pace *pace, long left);

#endif
