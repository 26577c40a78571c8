/* A folder of this process alone, in which an OpenCL implementation builds kernels: it begins empty, so nothing that an
 * earlier process left can do harm, and goes with the process. */
#ifndef ACCSHARE_PLACE_H
#define ACCSHARE_PLACE_H

#include <stdbool.h>

/* The folder, made at the first call; NULL where none can be that programs may be run from and that has room. */
const char *place_folder(void);

/* Whether there is room for one more program: implementations abort where there is not. */
bool place_has_room(void);

/* Removes it. A process that ends without this leaves it to the next one. */
void place_leave(void);

#endif
