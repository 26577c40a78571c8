#include "present.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "breakeven.h"
#include "text.h"

static unsigned apart; /* entries that are not `together` */

static void count_apart(int more) {
  apart += (unsigned)more;
  breakeven_refresh();
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

entry *present_insert(present_table *table, char *start, size_t bytes) {
  if (table->count == table->capacity) {
    table->capacity = table->capacity ? 2 * table->capacity : 16;
    table->entries = reallocate(table->entries, table->capacity * sizeof *table->entries);
  }
  unsigned at = first_after(table, start);
  memmove(&table->entries[at + 1], &table->entries[at], (table->count - at) * sizeof *table->entries);
  entry *made = allocate(sizeof *made);
  made->start = start;
  made->bytes = bytes;
  table->entries[at] = made;
  table->count++;
  count_apart(1);
  return made;
}

void present_together(entry *entry) {
  entry->together = true;
  count_apart(-1);
}

unsigned present_apart(void) { return apart; }

void present_remove(present_table *table, entry *entry) {
  unsigned at = first_after(table, entry->start);
  table->count--;
  memmove(&table->entries[at], &table->entries[at + 1], (table->count - at) * sizeof *table->entries);
  if (entry->address && entry->address != entry->start) present_unreserve(entry->address, entry->bytes);
  if (!entry->together) count_apart(-1);
  free(entry);
}

char *present_reserve(size_t bytes) {
  void *range = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? NULL : range;
}

void present_unreserve(char *address, size_t bytes) { munmap(address, bytes); }

char *present_address(entry *entry) {
  if (!entry->address) entry->address = entry->shared ? entry->start : present_reserve(entry->bytes);
  return entry->address;
}

entry *present_by_address(const present_table *table, const char *address) {
  for (unsigned i = 0; i < table->count; i++) {
    entry *each = table->entries[i];
    if (each->address && each->address <= address && address < each->address + each->bytes) return each;
  }
  return NULL;
}
