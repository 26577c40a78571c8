/* Pointers to rows: what data directives say of a table of pointers, as the sections that its pointers lead to. */
#ifndef ACCSHARE_ROWS_H
#define ACCSHARE_ROWS_H

#include "../include/accshare_abi.h"

/* Data without ACCSHARE_ROWS, `count` of them; free(data) at the end. */
typedef struct sections {
  accshare_datum *data;
  unsigned count;
  unsigned capacity;
} sections;

/* Whether any of the data are rows. */
int rows_any(const accshare_datum *data, unsigned count);
/* All data, with a section for each row. Rows that overlap become one section, for they are in one place on a device too. */
sections rows_expanded(const accshare_datum *data, unsigned count);

#endif
