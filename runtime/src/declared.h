/* What declare directives outside of functions say: data that are on every device from the moment it is opened. */
#ifndef ACCSHARE_DECLARED_H
#define ACCSHARE_DECLARED_H

#include "../include/accshare_abi.h"

struct device;

/* `datum` is declared at `file`:`line`; several may say it of the same data. */
void declared_begin(const char *file, int line, const accshare_datum *datum);
/* One of them is unloaded. At the end of the program nothing is done. */
void declared_end(const accshare_datum *datum);
/* Makes all of it present on a device that has nothing present. */
void declared_enter(struct device *device);
#endif
