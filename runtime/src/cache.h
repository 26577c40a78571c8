/* Built programs, kept on disk between runs: $ACCSHARE_CACHE_DIR, $XDG_CACHE_HOME/accshare or ~/.cache/accshare. */
#ifndef ACCSHARE_CACHE_H
#define ACCSHARE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* The binary stored under `key`, to be freed; NULL when there is none that can be trusted. */
unsigned char *cache_load(const text *key, size_t *bytes);
/* A hash of bytes (FNV-1a, 64 bits), continued from `hash`. */
uint64_t cache_hash(uint64_t hash, const void *bytes, size_t count);
/* Opens the folder, whose path is added to `path` and which `made` makes where there is none; -1 and errno when it can't be
 * trusted, errno 0 when no variable says where it is. */
int cache_folder(text *path, bool made);
/* Stores it. Other processes see the old entry or the new one, never a part; failing is no error. */
void cache_store(const text *key, const unsigned char *binary, size_t bytes);

#endif
