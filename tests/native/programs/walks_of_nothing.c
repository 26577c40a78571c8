// Pointers and numbers that move, and scalars that are kept, along loops of none and few iterations.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 78
#define SIZES 0, 1, 2, 3, 8, 15
#include "../../programs/walking_pointers.c"
