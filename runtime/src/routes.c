#include "routes.h"

#include <math.h>
#include <stdint.h>

#include "numbers.h"

/* Of a thread; and executions in a row that nobody sees at most, should they begin to take longer. */
enum { ROUTES = 64, UNSEEN = 32 };

/* Seconds that it takes to decide and to measure, and the part of all time that may go to that. */
static const double looking = 5e-7, part = 0.01;

/* The region is known by what the runtime keeps of it: another one may be loaded to the same place. */
typedef struct route {
  const void *state;
  int size;
  way way;
  unsigned left, passed; /* executions */
} route;

static __thread route routes[ROUTES];

static const void *state_of(const accshare_region *region) { return __atomic_load_n(&region->runtime, __ATOMIC_ACQUIRE); }

static route *place_of(const void *state, int size) { return &routes[((uintptr_t)state >> 4 ^ (uintptr_t)size) % ROUTES]; }

static int power_of(double number) {
  int power = 1;
  if (number >= 1 && number < HUGE_VAL) frexp(number, &power);
  return power - 1;
}

int routes_size(const accshare_work *work) {
  enum { POWERS = 1 << 11 };
  return power_of(work->operations) + POWERS * power_of(work->outermost);
}

way routes_find(const accshare_region *region, const accshare_work *work) {
  const void *state = state_of(region);
  if (!state || !(work->operations >= 1)) return WAYS;
  int size = routes_size(work);
  route *route = place_of(state, size);
  if (route->state != state || route->size != size || !route->left) return WAYS;
  route->left--;
  route->passed++;
  return route->way;
}

unsigned routes_passed(const accshare_region *region, int size) {
  route *route = place_of(region->runtime, size);
  if (route->state != region->runtime || route->size != size) return 0;
  unsigned passed = route->passed;
  route->left = route->passed = 0;
  return passed;
}

void routes_open(const accshare_region *region, int size, way way, double seconds) {
  unsigned left = (unsigned)lesser(looking / (part * seconds), UNSEEN);
  *place_of(region->runtime, size) = (route){region->runtime, size, way, left, 0};
}
