/* Whether a region is worth a device: what it is expected to take there and on the host (docs/break-even.md). */
#ifndef ACCSHARE_BREAKEVEN_H
#define ACCSHARE_BREAKEVEN_H

#include "../include/accshare_abi.h"
#include "device.h"
#include "ways.h"

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

/* The way that a region goes now, as `pays` answered this thread before; by kernels, where it was not asked. */
way breakeven_way(accshare_region *region, const accshare_datum *data, unsigned count);
/* The next time that this thread comes to the region, it is not for a device. */
void breakeven_no_device(const accshare_region *region);
/* Takes note that its data travelled for so many seconds. */
void breakeven_moved(const accshare_region *region, device *device, double seconds);

/* The way that a region goes once more, which nobody needs to see; WAYS where `breakeven_pays` is to be asked. Without the lock. */
way breakeven_again(const accshare_region *region, const accshare_work *work);
/* Whether this thread was just told so, and goes by native kernels. */
bool breakeven_unseen(const accshare_region *region);

/* Does what accshare_api.early says; where a device may have a say, that is to go on. */
int breakeven_early(accshare_region *region, const accshare_work *work);
/* Whether that was this thread's last answer, and to go on by native kernels, so that `pays` need not be asked. */
bool breakeven_decided(const accshare_region *region);

/* Does what accshare_api.pays says. */
int breakeven_pays(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count);

#endif
