#include "present.h"

#include <string.h>
#include <sys/mman.h>

#include "text.h"

static unsigned apart; /* entries that are not `together` */
static unsigned named; /* entries with an address */

void (*present_changed)(void);

static void count_apart(int more) {
  apart += (unsigned)more;
  present_changed();
}

/* Index of the first entry that ends after `start`. */
static unsigned first_after(const present_table *table, const char *start) {
  unsigned low = 0, high = table->count;
  while (low < high) {
    unsigned middle = low + (high - low) / 2;
    const entry *each = table->entries[middle];
    if (each->start + each->bytes <= start) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

entry *present_overlap(const present_table *table, const char *start, size_t bytes) {
  unsigned at = first_after(table, start);
  if (at == table->count) return NULL;
  entry *found = table->entries[at];
  return found->start < start + bytes ? found : NULL;
}

entry *present_find(const present_table *table, const char *start, size_t bytes) {
  entry *found = present_overlap(table, start, bytes ? bytes : 1);
  bool holds = found && found->start <= start && start + bytes <= found->start + found->bytes;
  return holds ? found : NULL;
}

bool present_release(entry *entry, bool dynamic, bool finalize) {
  unsigned *counter = dynamic ? &entry->dynamic : &entry->structured;
  unsigned other = dynamic ? entry->structured : entry->dynamic;
  unsigned left = !*counter || (dynamic && finalize) ? 0 : *counter - 1;
  *counter = left;
  return !left && !other && !entry->mapped;
}

void present_clear(const present_table *table, const accshare_datum *datum) {
  if (!(datum->movement & ACCSHARE_ZERO) || !datum->bytes || !datum->origin) return;
  if (!present_overlap(table, datum_start(datum), datum->bytes)) memset(datum_start(datum), 0, datum->bytes);
}

static void grow(present_table *table) {
  unsigned capacity = table->capacity ? 2 * table->capacity : 16;
  table->entries = reallocate(table->entries, capacity * sizeof *table->entries);
  for (unsigned i = table->capacity; i < capacity; i++) table->entries[i] = NULL;
  table->capacity = capacity;
}

entry *present_insert(present_table *table, char *start, size_t bytes, bool together) {
  unsigned at = first_after(table, start);
  if (at < table->count && table->entries[at]->start < start + bytes) return NULL;
  if (table->count == table->capacity) grow(table);
  entry *made = table->entries[table->count];
  if (!made) made = allocate(sizeof *made);
  memmove(&table->entries[at + 1], &table->entries[at], (table->count - at) * sizeof *table->entries);
  *made = (entry){.start = start, .bytes = bytes, .together = together};
  table->entries[at] = made;
  table->count++;
  if (!together) count_apart(1);
  return made;
}

void present_together(entry *entry, bool together) {
  if (entry->together == together) return;
  entry->together = together;
  count_apart(together ? -1 : 1);
}

size_t present_bytes(const present_table *table) {
  size_t bytes = 0;
  for (unsigned i = 0; i < table->count; i++) {
    const entry *each = table->entries[i];
    if (each->buffer && !each->shared && !each->mapped) bytes += each->bytes;
  }
  return bytes;
}

unsigned present_apart(void) { return apart; }

void present_remove(present_table *table, entry *entry) {
  unsigned at = first_after(table, entry->start);
  if (entry->address && entry->address != entry->start && !entry->mapped) present_unreserve(entry->address, entry->bytes);
  if (entry->address) named--;
  if (!entry->together) count_apart(-1);
  table->count--;
  memmove(&table->entries[at], &table->entries[at + 1], (table->count - at) * sizeof *table->entries);
  table->entries[table->count] = entry;
}

char *present_reserve(size_t bytes) {
  void *range = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? NULL : range;
}

void present_unreserve(char *address, size_t bytes) { munmap(address, bytes); }

void present_name(entry *entry, char *address) {
  if (!address || entry->address) return;
  entry->address = address;
  named++;
}

char *present_address(entry *entry) {
  if (!entry->address) present_name(entry, entry->shared ? entry->start : present_reserve(entry->bytes));
  return entry->address;
}

bool present_any_named(void) { return named; }

entry *present_by_address(const present_table *table, const char *address) {
  entry *found = NULL; /* of two the mapped one, which has a host address */
  for (unsigned i = 0; i < table->count && !(found && found->mapped); i++) {
    entry *each = table->entries[i];
    bool holds = each->address && each->address <= address && address < each->address + each->bytes;
    if (holds && (!found || each->mapped)) found = each;
  }
  return found;
}
