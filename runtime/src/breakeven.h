/* Whether a region is worth a device: what it is expected to take there and on the host (docs/break-even.md). */
#ifndef ACCSHARE_BREAKEVEN_H
#define ACCSHARE_BREAKEVEN_H

#include "../include/accshare_abi.h"
#include "device.h"

/* accshare_api.small: 0 when somebody wants to know of every region, or data lies apart from the host's memory. */
extern volatile double breakeven_small;

/* Whether anything is to be decided at all. */
bool breakeven_wanted(void);
/* Brings `breakeven_small` up to date. */
void breakeven_refresh(void);
/* Takes note of what a region with one launch took on `device`, the kernel's own time included. */
void breakeven_met(device *device, double seconds);

/* Takes note that the program has native kernels, whose launches cost less than a device's. */
void breakeven_native(void);

/* Does what accshare_api.pays says. */
int breakeven_pays(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count);

#endif
