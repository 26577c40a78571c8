#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "env.h"
#include "message.h"
#include "text.h"

void host_run(accshare_region *region, const char *reason, host_cause cause) {
  region_state *state = program_state(region);
  if (cause != HOST_BY_WISH && env()->offload == OFFLOAD_MANDATORY) {
    fatal("%s:%d: the region can't run on a device: %s", region->file, region->line, reason);
  }
  if (cause == HOST_FAILURE && (!state->said || strcmp(state->said, reason) != 0)) {
    warn("%s:%d: %s; running the host loops", region->file, region->line, reason);
    free(state->said);
    state->said = copy_string(reason);
  }
  if (env()->notify & NOTIFY_LAUNCHES) {
    warn("host file=%s line=%d reason=\"%s\"", region->file, region->line, reason);
  }
  profile_host_run(state->record, reason);
}

void host_measured(accshare_region *region, const char *reason, const char *told) {
  if (env()->notify & NOTIFY_LAUNCHES) {
    warn("host file=%s line=%d reason=\"%s\"%s", region->file, region->line, reason, told);
  }
  profile_host_run(program_state(region)->record, reason);
}

void host_smaller(accshare_region *region, double here, double there, const char *told) {
  record *record = program_state(region)->record;
  host_measured(region, "smaller than pays off", told);
  record->smaller++;
  record->smaller_host += here;
  record->smaller_kernels += there;
}

static void take(device *device, accshare_region *region, entry *entry) {
  place place = {region->file, region->line, program_state(region)->record};
  if (!data_leave(device, &place, entry)) {
    fatal("%s:%d: the host loops need data that only the device holds, and it can't be copied back", region->file,
          region->line);
  }
}

void host_takes(device *device, accshare_region *region, const accshare_datum *datum) {
  if (!datum->bytes || !datum->origin) return;
  const present_table *table = &device->present;
  char *start = datum_start(datum);
  if (datum_movement(datum) == ACCSHARE_DEVICEPTR) {
    const entry *held = present_by_address(table, start);
    if (!held || held->shared) return;
    fatal("%s:%d: the host loops can't read %s, a device address", region->file, region->line, datum->name);
  }
  for (unsigned i = 0; i < table->count; i++) {
    entry *each = table->entries[i];
    if (each->start < start + datum->bytes && start < each->start + each->bytes) take(device, region, each);
  }
}

void host_takes_all(device *device, accshare_region *region) {
  for (unsigned i = 0; i < device->present.count; i++) {
    entry *each = device->present.entries[i];
    bool device_only = each->address == each->start && !each->shared; /* acc_malloc */
    if (!device_only) take(device, region, each);
  }
}

bool host_computes_apart(accshare_region *region, const accshare_datum *data, unsigned count) {
  if (cpu_usual_arithmetic()) return false;
  const char *unused;
  device *device = device_in_use() ? device_current(&unused) : NULL;
  for (unsigned i = 0; i < count && device; i++) host_takes(device, region, &data[i]);
  host_run(region, "the program does not round to nearest, or traps exceptions", HOST_BY_WISH);
  return true;
}
