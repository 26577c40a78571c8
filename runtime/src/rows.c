#include "rows.h"

#include <stdlib.h>

#include "datum.h"
#include "text.h"

int rows_any(const accshare_datum *data, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (data[i].movement & ACCSHARE_ROWS) return 1;
  }
  return 0;
}

static void add(sections *sections, accshare_datum datum) {
  if (sections->count == sections->capacity) {
    sections->capacity = sections->capacity ? 2 * sections->capacity : 64;
    sections->data = reallocate(sections->data, sections->capacity * sizeof datum);
  }
  sections->data[sections->count++] = datum;
}

/* The rows that the pointers of `table` lead to, as `row` and what follows it say. */
static void add_rows(sections *sections, const accshare_datum *table, const accshare_datum *row) {
  if (!table->origin || !table->bytes) return;
  void *const *pointers = (void *const *)datum_start(table);
  for (unsigned long i = 0; i < table->bytes / sizeof *pointers; i++) {
    accshare_datum each = *row;
    each.origin = pointers[i];
    if (!each.origin) continue;
    if (each.movement & ACCSHARE_ROWS) {
      add_rows(sections, &each, row + 1);
    } else if (each.bytes) {
      add(sections, each);
    }
  }
}

static int by_start(const void *a, const void *b) {
  const char *first = datum_start(a), *second = datum_start(b);
  return (first > second) - (first < second);
}

/* Joins those of the sections from `first` on that overlap without being the same. */
static void join(sections *sections, unsigned first) {
  if (sections->count - first < 2) return;
  qsort(&sections->data[first], sections->count - first, sizeof *sections->data, by_start);
  unsigned last = first;
  for (unsigned i = first + 1; i < sections->count; i++) {
    accshare_datum *before = &sections->data[last], *next = &sections->data[i];
    char *end = datum_start(before) + before->bytes, *other = datum_start(next) + next->bytes;
    if (datum_start(next) >= end) {
      sections->data[++last] = *next;
    } else if (other > end) {
      before->bytes = (unsigned long)(other - datum_start(before));
    }
  }
  sections->count = last + 1;
}

sections rows_expanded(const accshare_datum *data, unsigned count) {
  sections result = {0};
  for (unsigned i = 0; i < count; i++) {
    if (!(data[i].movement & ACCSHARE_ROWS)) {
      add(&result, data[i]);
      continue;
    }
    unsigned first = result.count;
    add_rows(&result, &data[i], &data[i + 1]);
    join(&result, first);
    while (data[i].movement & ACCSHARE_ROWS) i++; /* to the last level */
  }
  return result;
}
