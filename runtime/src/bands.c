#include "bands.h"

#include "clock.h"
#include "cpu.h"
#include "learn.h"
#include "lock.h"
#include "numbers.h"
#include "program.h"
#include "remember.h"

/* Blocks in the order in which they run. The first one of each kind finds caches as others left them; bands are measured again at the end,
 * so that what somebody else did meanwhile does not decide against them. And blocks of which two that take longer are few. */
enum { COLD, BANDS, COLD_SWEEPS, SWEEPS, BANDS_AGAIN, ALL_MEASURED, KNOWN, WORTH_TRYING = 24 };

/* Sweeps are taken where they are faster by so much. */
static const double faster = 0.95;
/* The part of the last cache up to which data stay there from sweep to sweep. */
static const unsigned long part = 2;

static unsigned long all_bytes(const accshare_datum *data, unsigned count) {
  unsigned long bytes = 0;
  for (unsigned i = 0; i < count; i++) bytes += data[i].bytes;
  return bytes;
}

static bool settled(accshare_pace *pace, int steps) {
  pace->sweeps = steps == IN_SWEEPS;
  pace->block = KNOWN;
  return !pace->sweeps;
}

/* What is known of executions with as much data. */
static int known_steps(accshare_region *region, unsigned long bytes) {
  lock_take();
  region_state *state = program_state(region);
  int steps = learn_known_steps(region);
  if (steps == UNTOLD && state->paced == bytes) steps = state->steps;
  lock_give();
  return steps;
}

static void keep(accshare_region *region, unsigned long bytes, int steps) {
  lock_take();
  region_state *state = program_state(region);
  state->paced = bytes;
  state->steps = steps;
  learn_steps(region, steps);
  lock_give();
}

/* The first block of an execution. */
static bool first(accshare_region *region, unsigned long bytes, accshare_pace *pace, long left) {
  if (!learn_wanted() || bytes > cpu_last_cache() / part) return settled(pace, IN_BANDS);
  int steps = known_steps(region, bytes);
  if (steps != UNTOLD || left < WORTH_TRYING) return settled(pace, steps);
  pace->block++;
  return true;
}

bool bands_next(accshare_region *region, const accshare_datum *data, unsigned count, accshare_pace *pace, long left) {
  if (pace->block == KNOWN) return !pace->sweeps;
  if (pace->block == COLD) return first(region, all_bytes(data, count), pace, left);
  double now = clock_seconds(), took = now - pace->since;
  pace->since = now;
  switch (pace->block++) {
    case COLD_SWEEPS: pace->in_bands = took; return false;
    case SWEEPS: return false;
    case BANDS_AGAIN: pace->in_sweeps = took; return true;
    case ALL_MEASURED: break;
    default: return true;
  }
  int steps = pace->in_sweeps < faster * lesser(pace->in_bands, took) ? IN_SWEEPS : IN_BANDS;
  keep(region, all_bytes(data, count), steps);
  return settled(pace, steps);
}
