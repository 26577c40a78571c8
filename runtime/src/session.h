/* Running a region: the begin, launch and end of accshare_api, without the lock. */
#ifndef ACCSHARE_SESSION_H
#define ACCSHARE_SESSION_H

#include <stdbool.h>

#include "../include/accshare_abi.h"

accshare_session *session_begin(accshare_region *region, const accshare_datum *data, unsigned count);
/* As `find` of accshare_api. */
int session_find(accshare_region *region, accshare_datum *datum);
unsigned session_variant(accshare_session *session);
long session_units(accshare_session *session);
int session_scratch(accshare_session *session, unsigned long bytes);
int session_launch(accshare_session *session, const accshare_launch *launch);
int session_end(accshare_session *session);
/* Whether a region runs on a device just now. */
bool session_open(void);
void session_host(accshare_region *region, const char *reason);

#endif
