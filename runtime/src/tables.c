#include "tables.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "breakeven.h"
#include "data.h"
#include "host.h"
#include "message.h"
#include "opencl.h"
#include "program.h"
#include "session.h"
#include "text.h"

/* Less than a page: what lies between two rows is mapped where they are. */
enum { NARROW = 4096 };

typedef struct interval {
  char *start, *end;
  bool written;
} interval;

static bool touched(const accshare_row *row) { return row->first < row->end; }

static bool written(const accshare_row *row) { return row->written_first < row->written_end; }

static char *at(const accshare_rows *table, long row, long column, unsigned long element) {
  return (char *)table->table[table->first + row] + column * (long)element;
}

/* Columns from the first to the last that any row has; `*first` is the first. */
static long columns(const accshare_rows *table, long *first) {
  long end = 0;
  bool any = false;
  *first = 0;
  for (long i = 0; i < table->count; i++) {
    const accshare_row *row = &table->rows[i];
    if (!touched(row)) continue;
    if (!any || row->first < *first) *first = row->first;
    if (!any || row->end > end) end = row->end;
    any = true;
  }
  return any ? end - *first : 0;
}

/* --- what the host checks ------------------------------------------------------------------------------------------ */

static int by_start(const void *a, const void *b) {
  const interval *first = a, *second = b;
  return (first->start > second->start) - (first->start < second->start);
}

static bool in_order(const interval *all, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (all[i].start < all[i - 1].start) return false;
  }
  return true;
}

/* Whether two of them overlap, one of which is written. */
static bool meet(interval *all, size_t count) {
  if (!in_order(all, count)) qsort(all, count, sizeof *all, by_start);
  char *end = NULL, *written_end = NULL;
  for (size_t i = 0; i < count; i++) {
    if (all[i].start < (all[i].written ? end : written_end)) return true;
    if (all[i].end > end) end = all[i].end;
    if (all[i].written && all[i].end > written_end) written_end = all[i].end;
  }
  return false;
}

/* Whether a row, or the pointers to rows, are written through another row. */
static bool any_meet(const accshare_rows *tables, unsigned count, const accshare_datum *data) {
  size_t most = 0, found = 0;
  for (unsigned k = 0; k < count; k++) most += (size_t)tables[k].count + 1;
  interval *all = allocate(most * sizeof *all);
  for (unsigned k = 0; k < count; k++) {
    const accshare_rows *table = &tables[k];
    unsigned long element = data[table->datum].element;
    if (table->count) {
      all[found++] = (interval){(char *)&table->table[table->first], (char *)&table->table[table->first + table->count], false};
    }
    for (long i = 0; i < table->count; i++) {
      const accshare_row *row = &table->rows[i];
      if (!touched(row)) continue;
      all[found++] = (interval){at(table, i, row->first, element), at(table, i, row->end, element), written(row)};
    }
  }
  bool result = meet(all, found);
  free(all);
  return result;
}

/* Columns [first, end) of a row as a section by itself. */
static accshare_datum section_of(const accshare_rows *table, const accshare_datum *datum, long row, long first, long end) {
  accshare_datum section = *datum;
  section.origin = at(table, row, first, datum->element);
  section.lower = 0;
  section.bytes = first < end ? (unsigned long)(end - first) * datum->element : 0;
  section.movement = ACCSHARE_COPY;
  return section;
}

/* Why the host loops have to run; NULL: they needn't. */
static const char *wrong(const device *device, const accshare_rows *table, const accshare_datum *datum) {
  static char text[200];
  const char *why = NULL;
  bool present = datum_movement(datum) == ACCSHARE_PRESENT;
  for (long i = 0; i < table->count && !why; i++) {
    const accshare_row *row = &table->rows[i];
    if (!touched(row)) continue;
    const char *pointer = table->table[table->first + i];
    accshare_datum section = section_of(table, datum, i, row->first, row->end);
    if (!pointer) {
      why = "is a null pointer";
    } else if (device && present_any_named() && present_by_address(&device->present, pointer)) {
      why = "is a device address";
    } else if (device && data_partly_present(device, &section)) {
      why = "is only partly present on the device";
    } else if (device && present && !present_find(&device->present, section.origin, section.bytes)) {
      why = "is not present on the device";
    }
    if (why) snprintf(text, sizeof text, "row %ld of %.80s %s", table->first + i, datum->name, why);
  }
  return why ? text : NULL;
}

/* --- where the rows lie -------------------------------------------------------------------------------------------- */

typedef struct span {
  char *start, *end;
  uintptr_t origin; /* of element 0 of row 0, by the spacing of those that are there */
  long pitch;
  ptrdiff_t gap; /* the widest between two rows */
} span;

/* Whether all touched rows are equally spaced, in the order of their memory. */
static bool equally_spaced(const accshare_rows *table, unsigned long element, span *found) {
  long unused, width = columns(table, &unused), known = -1;
  ptrdiff_t spacing = 0;
  const char *before = NULL;
  *found = (span){NULL, NULL, 0, width, 0};
  for (long i = 0; i < table->count; i++) {
    const accshare_row *row = &table->rows[i];
    if (!touched(row)) continue;
    const char *pointer = table->table[table->first + i];
    char *start = at(table, i, row->first, element);
    if (before) {
      intptr_t distance = (intptr_t)((uintptr_t)pointer - (uintptr_t)before);
      if (distance % (i - known)) return false;
      distance /= i - known;
      if (spacing && distance != spacing) return false;
      spacing = distance;
      if (spacing < width * (long)element || spacing % (long)element) return false;
      if (start - found->end > found->gap) found->gap = start - found->end;
      found->pitch = spacing / (long)element;
    } else {
      found->start = start;
    }
    before = pointer;
    known = i;
    found->end = at(table, i, row->end, element);
  }
  if (!before) return false;
  found->origin = (uintptr_t)before - (uintptr_t)((table->first + known) * found->pitch * (long)element);
  return true;
}

/* Whether the region's buffer can be the range that the rows lie in. `device` may be NULL: not known yet. */
static bool in_place(const device *device, const span *span, unsigned own, const accshare_datum *data, unsigned count) {
  size_t bytes = (size_t)(span->end - span->start);
  if (device) {
    bool held = present_find(&device->present, span->start, bytes) != NULL;
    if (!held && present_overlap(&device->present, span->start, bytes)) return false;
    if (!held && span->gap > 0 && !(device->memory.coherent && device->zero_copy)) return false; /* it isn't ours to move */
  }
  if (span->gap >= NARROW) return false;
  for (unsigned i = 0; i < count; i++) {
    if (i == own || !data[i].bytes || !data[i].origin) continue;
    char *start = datum_start(&data[i]);
    if (start < span->end && span->start < start + data[i].bytes) return false;
  }
  return true;
}

static bool any_written(const accshare_rows *table) {
  for (long i = 0; i < table->count; i++) {
    if (written(&table->rows[i])) return true;
  }
  return false;
}

/* Makes the datum of each table the range that its rows lie in, or the size of a packed copy, without an origin. */
static void decide(const device *device, accshare_rows *tables, unsigned count, accshare_datum *data, unsigned data_count) {
  for (unsigned k = 0; k < count; k++) data[tables[k].datum].origin = NULL;
  for (unsigned k = 0; k < count; k++) {
    accshare_rows *table = &tables[k];
    accshare_datum *datum = &data[table->datum];
    span span;
    long first, width = columns(table, &first);
    datum->movement = any_written(table) ? ACCSHARE_COPY : ACCSHARE_COPYIN;
    table->pitch = width ? width : 1;
    if (equally_spaced(table, datum->element, &span) && in_place(device, &span, table->datum, data, data_count)) {
      table->pitch = span.pitch;
      datum->origin = (void *)span.origin;
      datum->lower = (long)((uintptr_t)span.start - span.origin);
      datum->bytes = (unsigned long)(span.end - span.start);
    } else {
      datum->movement |= ACCSHARE_PACKED;
      datum->lower = (table->first * table->pitch + first) * (long)datum->element;
      datum->bytes = width ? (unsigned long)table->count * (unsigned long)table->pitch * datum->element : 0;
    }
  }
}

/* --- packing ------------------------------------------------------------------------------------------------------- */

/* Before host loops: makes the host's copies of the rows those that count. */
static void take_home(device *device, accshare_region *region, const accshare_rows *table, const accshare_datum *datum) {
  for (long i = 0; i < table->count; i++) {
    const accshare_row *row = &table->rows[i];
    if (!touched(row) || !table->table[table->first + i]) continue;
    accshare_datum section = section_of(table, datum, i, row->first, row->end);
    if (present_overlap(&device->present, section.origin, section.bytes)) host_takes(device, region, &section);
  }
}

static void failed(const accshare_region *region, const accshare_datum *datum, cl_int error) {
  fatal("%s:%d: copying rows of %s failed: %s", region->file, region->line, datum->name, opencl_error(error));
}

static void pack(device *device, accshare_region *region, accshare_rows *table, accshare_datum *datum) {
  place place = {region->file, region->line, program_state(region)->record};
  unsigned long element = datum->element, row_bytes = (unsigned long)table->pitch * element;
  long first;
  columns(table, &first);
  table->packed = allocate(datum->bytes);
  datum->origin = (void *)((uintptr_t)table->packed - (uintptr_t)datum->lower);
  for (long i = 0; i < table->count; i++) {
    const accshare_row *row = &table->rows[i];
    char *to = (char *)table->packed + (unsigned long)i * row_bytes;
    if (!touched(row)) {
      memset(to, 0, row_bytes);
      continue;
    }
    accshare_datum section = section_of(table, datum, i, row->first, row->end);
    unsigned long before = (unsigned long)(row->first - first) * element;
    memset(to, 0, before);
    cl_int error = data_transfer(device, &place, &section, to + before, true);
    if (error) failed(region, datum, error);
    memset(to + before + section.bytes, 0, row_bytes - before - section.bytes);
  }
}

static void unpack(device *device, accshare_region *region, const accshare_rows *table, const accshare_datum *datum) {
  place place = {region->file, region->line, program_state(region)->record};
  unsigned long row_bytes = (unsigned long)table->pitch * datum->element;
  long first;
  columns(table, &first);
  for (long i = 0; i < table->count; i++) {
    const accshare_row *row = &table->rows[i];
    if (!written(row)) continue;
    accshare_datum section = section_of(table, datum, i, row->written_first, row->written_end);
    char *from = (char *)table->packed + (unsigned long)i * row_bytes + (row->written_first - first) * (long)datum->element;
    cl_int error = data_transfer(device, &place, &section, from, false);
    if (error) failed(region, datum, error);
  }
}

/* --- the steps ----------------------------------------------------------------------------------------------------- */

static void open(accshare_rows *tables, unsigned count) {
  for (unsigned k = 0; k < count; k++) {
    accshare_rows *table = &tables[k];
    if (table->count < 0) table->count = 0;
    table->pitch = 1;
    table->packed = NULL;
    table->rows = allocate((size_t)(table->count ? table->count : 1) * sizeof *table->rows);
  }
}

static void close(accshare_rows *tables, unsigned count) {
  for (unsigned k = 0; k < count; k++) {
    free(tables[k].rows);
    free(tables[k].packed);
    tables[k].rows = NULL;
    tables[k].packed = NULL;
    tables[k].count = 0;
  }
}

static bool find(accshare_region *region, accshare_rows *tables, unsigned count, accshare_datum *data, unsigned data_count) {
  bool asked = false;
  const char *unused, *why = NULL;
  for (unsigned k = 0; k < count; k++) asked |= datum_movement(&data[tables[k].datum]) == ACCSHARE_PRESENT;
  asked &= program_native(region) < 0;
  const device *device = asked || device_in_use() ? device_current(&unused) : NULL;
  for (unsigned k = 0; k < count && !why; k++) {
    bool needed = datum_movement(&data[tables[k].datum]) == ACCSHARE_PRESENT;
    why = wrong(device, &tables[k], &data[tables[k].datum]);
    if (why && needed && device) fatal("%s:%d: %s", region->file, region->line, why);
  }
  if (!why && any_meet(tables, count, data)) why = "rows that are written overlap others in memory";
  if (!why) {
    decide(device, tables, count, data, data_count);
    return true;
  }
  session_host(region, why);
  close(tables, count);
  return false;
}

bool tables_do(int op, accshare_region *region, accshare_rows *tables, unsigned count, accshare_datum *data,
               unsigned data_count) {
  const char *unused;
  if (op == ACCSHARE_ROWS_OPEN) {
    open(tables, count);
    return true;
  }
  if (op == ACCSHARE_ROWS_FIND) return find(region, tables, count, data, data_count);
  bool native = !device_refused() && program_native(region) >= 0 && breakeven_way(region, data, data_count) == BY_THREADS;
  device *device = (op == ACCSHARE_ROWS_PACK && !native) || device_in_use() ? device_current(&unused) : NULL;
  if (op == ACCSHARE_ROWS_PACK && !device && !native) return true; /* `begin` says why there is none */
  if (op == ACCSHARE_ROWS_PACK) decide(device, tables, count, data, data_count);
  for (unsigned k = 0; k < count && (device || native); k++) {
    accshare_datum *datum = &data[tables[k].datum];
    bool packed = datum->movement & ACCSHARE_PACKED && datum->bytes;
    if (op == ACCSHARE_ROWS_PACK && packed) pack(device, region, &tables[k], datum);
    if (op == ACCSHARE_ROWS_UNPACK && packed) unpack(device, region, &tables[k], datum);
    if (op == ACCSHARE_ROWS_DROP && device) take_home(device, region, &tables[k], datum);
  }
  if (op != ACCSHARE_ROWS_PACK) close(tables, count);
  return true;
}
