/* What the host knows of its CPU, and OpenCL does not tell. */
#ifndef ACCSHARE_CPU_H
#define ACCSHARE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

/* Whether this thread rounds to nearest and no exceptions of floating-point numbers trap, as in other threads and on devices. */
bool cpu_usual_arithmetic(void);

/* The caches that hold data, from the first level on, as a JSON array of {"level", "bytes", "units"}: `units`
 * processors share one. Empty when nothing tells. */
void cpu_caches_json(text *out);

/* The bytes of the third-level cache; 0 where there is none, or nothing tells. */
unsigned long cpu_last_cache(void);

/* Whether it has the instruction set of a native variant. */
bool cpu_has(const char *set);

/* Adds to a key what tells its model, or where nothing does, the machine's name. */
uint64_t cpu_key(uint64_t key);

#endif
