/* Libraries that are loaded while the program runs. */
#ifndef ACCSHARE_LIBRARY_H
#define ACCSHARE_LIBRARY_H

#include <stdbool.h>

/* Opens a library; NULL: it can't be, and library_error says why. */
void *library_open(const char *name);
const char *library_error(void);
bool library_is_open(const char *name);

/* The address of a symbol of a library, of NULL the whole process; NULL: it has none. */
void *library_symbol(void *library, const char *name);

/* The file that holds an address, for people to read; NULL: nobody knows. */
const char *library_file(const void *address);

#endif
