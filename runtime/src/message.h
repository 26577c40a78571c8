/* What the runtime says on stderr. Every line starts with "accshare: " and is written in one piece. */
#ifndef ACCSHARE_MESSAGE_H
#define ACCSHARE_MESSAGE_H

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((__format__(__printf__, text, first)))
#define NO_RETURN __attribute__((noreturn))
#else
#define PRINTF_LIKE(text, first)
#define NO_RETURN
#endif

void warn(const char *format, ...) PRINTF_LIKE(1, 2);

/* Says why and ends the program with exit code 3. */
void fatal(const char *format, ...) PRINTF_LIKE(1, 2) NO_RETURN;

#endif
