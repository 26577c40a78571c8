#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *reallocate(void *old, size_t bytes) {
  void *memory = realloc(old, bytes ? bytes : 1);
  if (!memory) fatal("out of host memory (%zu bytes)", bytes);
  return memory;
}

void *allocate(size_t bytes) {
  void *memory = reallocate(NULL, bytes);
  memset(memory, 0, bytes);
  return memory;
}

char *copy_string(const char *string) {
  size_t bytes = strlen(string ? string : "") + 1;
  return memcpy(reallocate(NULL, bytes), string ? string : "", bytes);
}

void text_bytes(text *text, const void *bytes, size_t length) {
  if (text->length + length + 1 > text->capacity) {
    text->capacity = 2 * (text->length + length + 1);
    text->bytes = reallocate(text->bytes, text->capacity);
  }
  if (length) memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
}

void text_add(text *text, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length >= 0) text_bytes(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void text_json(text *text, const char *string) {
  text_bytes(text, "\"", 1);
  for (const char *c = string; *c; c++) {
    if (*c == '"' || *c == '\\') {
      text_add(text, "\\%c", *c);
    } else if ((unsigned char)*c < 0x20) {
      text_add(text, "\\u%04x", (unsigned)(unsigned char)*c);
    } else {
      text_bytes(text, c, 1);
    }
  }
  text_bytes(text, "\"", 1);
}
