// The loops of collapsed_by_hand.c where there are no rows, no columns, or less than none.
// prints: 0 0 0 0 0 0 0 0 0
// launches: 33
#define SIZES {0, 4, 4}, {2, 0, 5}, {5, 4, 0}, {-3, 5, 2}, {3, -5, 2}
#include "../../programs/collapsed_by_hand.c"
