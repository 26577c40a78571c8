/* What a datum says of itself. */
#ifndef ACCSHARE_DATUM_H
#define ACCSHARE_DATUM_H

#include "../include/accshare_abi.h"

static inline char *datum_start(const accshare_datum *datum) { return (char *)datum->origin + datum->lower; }

/* The movement without its modifiers. */
static inline int datum_movement(const accshare_datum *datum) { return datum->movement & ACCSHARE_MOVEMENT; }

#endif
