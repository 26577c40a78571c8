#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_CODE = 3, LINE_BYTES = 2048 };

static void say(const char *format, va_list arguments) {
  char text[LINE_BYTES];
  vsnprintf(text, sizeof text, format, arguments);
  fprintf(stderr, "accshare: %s\n", text);
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
