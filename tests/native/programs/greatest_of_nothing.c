// Greatest numbers where loops have no iteration, or one: nothing changes what they begin with, NaN or not.
// prints: 0 0 0 0 0 0 0 0 0 0 0
// launches: 984
#define SIZES 0, 1, 2
#include "../../programs/greatest_unless_nan.c"
