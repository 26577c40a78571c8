#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_CODE = 3, LINE_BYTES = 2048 };

/* One write a line; printing right to stderr would take 8 KiB of the stack. */
static void say(const char *format, va_list arguments) {
  char text[LINE_BYTES] = "accshare: ";
  size_t start = strlen(text);
  vsnprintf(text + start, sizeof text - start - 1, format, arguments);
  size_t length = strlen(text);
  text[length] = '\n';
  fwrite(text, 1, length + 1, stderr);
}

void warn(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
}

void fatal(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
  exit(EXIT_CODE);
}
