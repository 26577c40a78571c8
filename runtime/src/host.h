/* Running a region's host loops instead: who is told, and when that is an error. */
#ifndef ACCSHARE_HOST_H
#define ACCSHARE_HOST_H

#include <stdbool.h>

#include "program.h"

/* Why a region runs on the host. */
typedef enum host_cause {
  HOST_BY_WISH,   /* the program asked for it: never an error */
  HOST_NO_DEVICE, /* there is none to use, or a guard failed: told to those who asked, an error when mandatory */
  HOST_FAILURE    /* something went wrong: told to everybody once */
} host_cause;

void host_run(accshare_region *region, const char *reason, host_cause cause);

/* Runs them because kernels are expected to take `there` seconds, and the host only `here`; or for the `reason` that rests on
 * measurements. `told` is what each way takes, for who wants to know. */
void host_smaller(accshare_region *region, double here, double there, const char *told);
void host_measured(accshare_region *region, const char *reason, const char *told);

/* Makes the host's copy of all that `datum` touches on `device` the one that counts, since host loops will use it. Ends
 * the program when the device's newer contents can't be had. */
void host_takes(device *device, accshare_region *region, const accshare_datum *datum);
/* The same for everything that is present. */
void host_takes_all(device *device, accshare_region *region);

/* Runs them if the program has changed how this thread computes, which other threads and devices don't know: true then. */
bool host_computes_apart(accshare_region *region, const accshare_datum *data, unsigned count);

#endif
