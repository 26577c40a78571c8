/* What directives made present while the host is the device: nothing has to move there, but what is new may have to be zero, and
 * a device that is opened later finds it. */
#ifndef ACCSHARE_ON_HOST_H
#define ACCSHARE_ON_HOST_H

#include "../include/accshare_abi.h"
#include "present.h"

/* All that is present there. */
present_table *on_host_table(void);
/* A directive of data there. */
void on_host_directive(int op, unsigned flags, const accshare_datum *data, unsigned count);

#endif
