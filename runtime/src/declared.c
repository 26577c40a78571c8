#include "declared.h"

#include <stdlib.h>

#include "data.h"
#include "text.h"

typedef struct declared {
  accshare_datum datum;
  place place;
  unsigned times;
} declared;

static declared *all;
static unsigned count, capacity;
static bool ending; /* the program: data and devices go together */

static void end(void) { ending = true; }

static declared *find(const accshare_datum *datum) {
  for (unsigned i = 0; i < count; i++) {
    if (all[i].datum.origin == datum->origin && all[i].datum.bytes == datum->bytes) return &all[i];
  }
  return NULL;
}

void declared_begin(const char *file, int line, const accshare_datum *datum) {
  if (!datum->bytes || datum->bytes == ACCSHARE_WHOLE) return;
  declared *known = find(datum);
  if (known) {
    known->times++;
    return;
  }
  if (!capacity) atexit(end);
  if (count == capacity) {
    capacity = capacity ? 2 * capacity : 8;
    all = reallocate(all, capacity * sizeof *all);
  }
  all[count] = (declared){*datum, {file, line, NULL}, 1};
  for (unsigned i = 0; device_opened(i); i++) data_open(device_opened(i), &all[count].place, datum);
  count++;
}

void declared_end(const accshare_datum *datum) {
  declared *known = ending ? NULL : find(datum);
  if (!known || --known->times) return;
  for (unsigned i = 0; device_opened(i); i++) {
    present_table *table = &device_opened(i)->present;
    entry *held = present_find(table, datum_start(datum), datum->bytes);
    if (held) data_drop(device_opened(i), held);
  }
  *known = all[--count];
}

void declared_enter(device *device) {
  for (unsigned i = 0; i < count; i++) data_open(device, &all[i].place, &all[i].datum);
}

static void entered(device *device) {
  declared_enter(device);
  if (accshare_own_kernels) data_move_in(device);
}

__attribute__((constructor)) static void watch(void) { device_entered = entered; }
