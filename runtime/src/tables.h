/* Tables of pointers to rows: one buffer for the rows that a region touches, where they lie or packed. */
#ifndef ACCSHARE_TABLES_H
#define ACCSHARE_TABLES_H

#include <stdbool.h>

#include "../include/accshare_abi.h"

bool tables_do(int op, accshare_region *region, accshare_rows *tables, unsigned count, accshare_datum *data,
               unsigned data_count);

#endif
