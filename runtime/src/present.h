/* The present table: which sections of host memory a device holds, and which of the two copies is the newer. */
#ifndef ACCSHARE_PRESENT_H
#define ACCSHARE_PRESENT_H

#include <stdbool.h>
#include <stddef.h>

#include "datum.h"
#include "opencl_min.h"

/* A section [start, start + bytes) and its device memory. Counts are OpenACC's structured and dynamic reference
 * counts (2.6.7); regions count as structured while they run. */
typedef struct entry {
  char *start;
  size_t bytes;
  const void *origin; /* of the array that it was named as a section of; NULL: not known */
  size_t offset;   /* bytes of the buffer in front of `start` */
  bool mapped;     /* by acc_map_data: the buffer is another entry's, and no count takes it away */
  cl_mem buffer;   /* NULL: no region has used it yet, or the device had no room; the host's copy is the only one */
  bool shared;     /* the buffer is the host's memory */
  bool together;   /* and neither side ever has to tell the other what it wrote */
  bool read_only;  /* made by a running region that only reads it */
  bool device_newer; /* kernels may have written it since the copies were last made equal */
  bool blank;        /* nothing was ever put into the device's copy */
  bool host_newer;   /* host loops may have; the device's copy is worthless */
  unsigned structured;
  unsigned dynamic;
  unsigned regions; /* of `structured`, how many are running regions */
  char *address;    /* the device address given to the program; NULL: none yet */
} entry;

/* Entries in order of `start`; they don't overlap. Behind them, up to the first NULL, lie some that were removed, for use
 * by the next ones. */
typedef struct present_table {
  entry **entries;
  unsigned count;
  unsigned capacity;
} present_table;

/* The entry that holds all of [start, start + bytes), or NULL. */
entry *present_find(const present_table *table, const char *start, size_t bytes);
/* The first entry that holds any of it, or NULL. */
entry *present_overlap(const present_table *table, const char *start, size_t bytes);
/* Counts a use of `entry` less; whether it was the last. */
bool present_release(entry *entry, bool dynamic, bool finalize);
/* Fills what is to begin with zeros and isn't in the table with them, in the program's memory. */
void present_clear(const present_table *table, const accshare_datum *datum);
/* A new entry; NULL where the table has any of it already. */
entry *present_insert(present_table *table, char *start, size_t bytes, bool together);
/* Says whether the entry's data are in the host's memory only, with nothing to be told. */
void present_together(entry *entry, bool together);
/* Bytes of device memory that the entries take. */
size_t present_bytes(const present_table *table);
/* How many entries, on all devices, are not so. */
unsigned present_apart(void);
/* Called when that has changed; never NULL (breakeven.c). */
extern void (*present_changed)(void);
/* Takes the entry out. Its buffer must be gone. */
void present_remove(present_table *table, entry *entry);

/* The device address of `entry`: a reserved, unreadable range of the same size (the host address when memory is
 * shared); NULL when none can be had. */
char *present_address(entry *entry);
/* Makes `address`, a reserved range, the device address of `entry`. */
void present_name(entry *entry, char *address);
/* Whether any entry has one: if not, every address is the host's. */
bool present_any_named(void);
/* A reserved range by itself, and its return. */
char *present_reserve(size_t bytes);
void present_unreserve(char *address, size_t bytes);
/* The entry with `address` in its device range, or NULL. */
entry *present_by_address(const present_table *table, const char *address);

#endif
