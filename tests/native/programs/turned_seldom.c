// Arrays that change places after none and few steps.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 229
#define STEPS 0, 1, 5, 6
#include "../../programs/turned_around.c"
