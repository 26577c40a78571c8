// Loops that ask behind their bodies, where the condition does not hold at first, or soon.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 67
#define SIZES 0, 1, 2, 3, 5, 12
#include "../../programs/do_loops.c"
