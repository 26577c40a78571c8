/* Moving data: what clauses and directives do to the present table and to the two copies. */
#ifndef ACCSHARE_DATA_H
#define ACCSHARE_DATA_H

#include <stdbool.h>

#include "../include/accshare_abi.h"
#include "datum.h"
#include "device.h"
#include "profile.h"

/* Where in the program something happens. `record` may be NULL. */
typedef struct place {
  const char *file;
  int line;
  record *record;
} place;

typedef struct reason {
  char text[320];
} reason;

/* Why `call` failed on `name`, for people. */
void reason_error(reason *reason, const char *call, const char *name, cl_int error);

/* Corrects the movement of `datum` by its address: a device address needs no clause to say so where it is used (a data
 * construct around may have said it), and a host address that is present serves where a device address is expected. */
void data_recognise(const device *device, accshare_datum *datum);

/* Waits until no other thread's running region holds any of `data` in a way that forbids sharing it. */
void data_wait(const device *device, const accshare_datum *data, unsigned count);

/* Fills what is to begin with zeros and isn't present with them, in the program's memory: where a region runs there. `device` is
 * NULL where none holds data. */
void data_clear(const device *device, const accshare_datum *datum);

typedef enum entering { ENTERED, NOT_PRESENT, PARTLY_PRESENT } entering;

/* Makes the section of `datum`, which a region certainly touches, all that is present around it; without bytes, around its
 * origin. PARTLY_PRESENT: not all of the section is, or other sections of the same array are as well. `device` may be NULL,
 * where nothing can be present, and `why` too. */
entering data_find(const device *device, accshare_datum *datum, reason *why);

/* Makes `datum` present, or finds that it is, and counts: `*found` gets its entry, NULL when nothing is needed or
 * no_create found nothing; `*fresh` whether the entry is new. A new entry without room on the device has no buffer.
 * `dynamic` chooses the counter; `wait` says that the host may change its copy right after. */
entering data_enter(device *device, const place *place, const accshare_datum *datum, bool dynamic, bool wait,
                    entry **found, bool *fresh, reason *why);
/* Gives `entry` a buffer and the newest contents if it lacks them; queues only. */
bool data_ready(device *device, const place *place, const accshare_datum *datum, entry *entry, reason *why);
/* Whether leaving brings the data home, where they are no longer needed. */
bool data_comes_home(const accshare_datum *datum);
/* Brings the section of `datum` home from `entry`; queues only unless `wait`. */
cl_int data_download(device *device, const place *place, const accshare_datum *datum, entry *entry, bool wait);
/* Sends the section to the device. */
cl_int data_upload(device *device, const place *place, const accshare_datum *datum, entry *entry, bool wait);
/* A section as kernels would find it, from the device's copy of what is present or from the host's, `out` to a copy or back;
 * `device` may be NULL. */
cl_int data_transfer(device *device, const place *place, const accshare_datum *section, void *copy, bool out);
/* Whether some of the section is present, and not all of it together. */
bool data_partly_present(const device *device, const accshare_datum *section);
/* Frees the entry and its buffer. */
void data_drop(device *device, entry *entry);
/* Before host loops use the data of `entry`: makes the host's copy the one that counts. */
bool data_leave(device *device, const place *place, entry *entry);

/* The data, enter data, exit data and update directives, and the routines of openacc.h. */
void data_directive(int op, unsigned flags, const place *place, const accshare_datum *data, unsigned count);

/* Makes `datum` present, as a structured construct would; it gets memory and contents when a region needs them. */
void data_open(device *device, const place *place, const accshare_datum *datum);

/* Makes all that was present in the host's memory, where native kernels ran, present on a device that is opened. */
void data_move_in(device *device);

#endif
