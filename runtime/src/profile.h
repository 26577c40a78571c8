/* Counting what regions and data directives do, and ACCSHARE_PROFILE's report of it. */
#ifndef ACCSHARE_PROFILE_H
#define ACCSHARE_PROFILE_H

#include <stdbool.h>

#include "ways.h"

typedef struct traffic {
  unsigned long count;
  unsigned long long bytes;
  double seconds;
} traffic;

typedef struct host_reason {
  char *reason;
  unsigned long count;
  struct host_reason *next;
} host_reason;

/* What a region takes at about one size, measured; 0 where it was not. */
typedef struct times {
  double operations;
  double seconds[WAYS];
  const char *device; /* NULL: none was tried */
  way way; /* that it goes now */
  struct times *next;
} times;

/* One place of the program. Strings are copies: the object that held them may have been unloaded at exit. */
typedef struct record {
  char *file;
  int line;
  char *function;
  char *name;        /* of the region; "" for a data directive */
  const char *device;
  char *variant;
  unsigned long runs; /* on a device */
  unsigned long launches;
  double seconds; /* from begin to end, on a device */
  double kernel_seconds;
  double build_seconds;
  traffic in;
  traffic out;
  traffic mapped; /* sections the device shares with the host */
  unsigned long host_runs;
  host_reason *reasons;
  unsigned long smaller; /* of host_runs, those that were expected to be faster there */
  double smaller_host;   /* seconds they were expected to take, and what kernels would have */
  double smaller_kernels;
  times *times;
  struct record *next;
} record;

/* A new record, kept to the end of the process. */
record *profile_region(const char *file, int line, const char *function, const char *name);
/* The record of the data directive there. */
record *profile_data(const char *file, int line);
void profile_host_run(record *record, const char *reason);
/* Room for what it takes at a size. */
times *profile_times(record *record, double operations);

/* Writes the report ACCSHARE_PROFILE asks for; nothing when it is unset. */
void profile_report(void);

#endif
