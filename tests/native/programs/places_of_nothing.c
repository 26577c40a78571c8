// Searches for the greatest and the least among none and few.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 2040
#define SIZES 0, 1, 2, 6, 65, 699
#include "../../programs/extreme_places.c"
