/* In a static program, which loads no libraries. */
#include <stddef.h>

#include "library.h"

void *library_open(const char *name) {
  (void)name;
  return NULL;
}

const char *library_error(void) { return "a statically linked program loads no libraries"; }

bool library_is_open(const char *name) {
  (void)name;
  return false;
}

void *library_symbol(void *library, const char *name) {
  (void)library, (void)name;
  return NULL;
}

const char *library_file(const void *address) {
  (void)address;
  return NULL;
}
