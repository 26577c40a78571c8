#include "on_host.h"

#include "datum.h"

/* Of constructs that nobody has asked for the table in yet. */
enum { FRAMES = 16, DATA = 64 };

static present_table table;

/* The constructs that were entered since somebody looked at the table, the innermost one last: most are left before anybody
 * does, and to find and order their sections would take longer than what small ones do. */
static struct {
  accshare_datum data[DATA];
  unsigned sizes[FRAMES]; /* in `data` */
  unsigned frames, used;
} entered;

static void hold(const accshare_datum *datum, bool structured) {
  entry *held = present_find(&table, datum_start(datum), datum->bytes);
  if (!held && datum_movement(datum) <= ACCSHARE_CREATE) {
    held = present_insert(&table, datum_start(datum), datum->bytes, true);
    if (held) held->origin = datum->origin;
  }
  if (held) ++*(structured ? &held->structured : &held->dynamic);
}

static bool is_section(const accshare_datum *datum) {
  return datum->bytes && datum->origin && datum->bytes != ACCSHARE_WHOLE && datum_movement(datum) != ACCSHARE_DEVICEPTR;
}

present_table *on_host_table(void) {
  unsigned count = entered.used;
  entered.used = entered.frames = 0;
  for (unsigned i = 0; i < count; i++) {
    if (is_section(&entered.data[i])) hold(&entered.data[i], true);
  }
  return &table;
}

/* Whether all that entering and leaving does is to count. */
static bool only_counts(const accshare_datum *data, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (datum_movement(&data[i]) > ACCSHARE_NO_CREATE || data[i].movement & ACCSHARE_ZERO) return false;
  }
  return true;
}

static bool enter_later(const accshare_datum *data, unsigned count) {
  if (entered.frames == FRAMES || count > DATA - entered.used) return false;
  for (unsigned i = 0; i < count; i++) entered.data[entered.used + i] = data[i];
  entered.used += count;
  entered.sizes[entered.frames++] = count;
  return true;
}

/* Whether the construct was the last one entered, as if it had never been. */
static bool forget(const accshare_datum *data, unsigned count) {
  if (!entered.frames || entered.sizes[entered.frames - 1] != count) return false;
  const accshare_datum *last = &entered.data[entered.used - count];
  for (unsigned i = 0; i < count; i++) {
    if (data[i].origin != last[i].origin || data[i].lower != last[i].lower || data[i].bytes != last[i].bytes) return false;
  }
  entered.used -= count;
  entered.frames--;
  return true;
}

static void one(int op, unsigned flags, const accshare_datum *datum) {
  bool structured = flags & ACCSHARE_STRUCTURED;
  if (!is_section(datum)) return;
  if (op == ACCSHARE_CLEAR) present_clear(on_host_table(), datum);
  if (op == ACCSHARE_ENTER && datum_movement(datum) <= ACCSHARE_NO_CREATE) {
    present_clear(on_host_table(), datum);
    hold(datum, structured);
  }
  if (op != ACCSHARE_EXIT) return;
  entry *held = present_find(on_host_table(), datum_start(datum), datum->bytes);
  if (held && present_release(held, !structured, flags & ACCSHARE_FINALIZE)) present_remove(&table, held);
}

void on_host_directive(int op, unsigned flags, const accshare_datum *data, unsigned count) {
  bool construct = flags == ACCSHARE_STRUCTURED && only_counts(data, count);
  if (construct && op == ACCSHARE_ENTER && enter_later(data, count)) return;
  if (construct && op == ACCSHARE_EXIT && forget(data, count)) return;
  for (unsigned i = 0; i < count; i++) one(op, flags, &data[i]);
}
