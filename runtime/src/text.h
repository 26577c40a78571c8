/* Text that grows, and the few ways it is written. */
#ifndef ACCSHARE_TEXT_H
#define ACCSHARE_TEXT_H

#include <stddef.h>

#include "message.h"

/* `bytes` is NUL-terminated once something was added; it may hold NULs too. Zero-initialise; free(bytes) at the end. */
typedef struct text {
  char *bytes;
  size_t length;
  size_t capacity;
} text;

void text_bytes(text *text, const void *bytes, size_t length);
void text_add(text *text, const char *format, ...) PRINTF_LIKE(2, 3);

/* `string` as a JSON string with its quotes; bytes that are not ASCII stay as they are. */
void text_json(text *text, const char *string);

/* malloc and strdup that end the program rather than return NULL. */
void *allocate(size_t bytes);
void *reallocate(void *old, size_t bytes);
char *copy_string(const char *string);

#endif
