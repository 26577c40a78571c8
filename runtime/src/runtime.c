/* The table of functions generated code calls: each takes the lock and does its work. */
#include <errno.h>

#include "../include/accshare_abi.h"
#include "../include/openacc.h"
#include "bands.h"
#include "breakeven.h"
#include "clock.h"
#include "data.h"
#include "declared.h"
#include "env.h"
#include "learn.h"
#include "lock.h"
#include "native.h"
#include "pool.h"
#include "session.h"
#include "sizes.h"
#include "tables.h"

/* the table only grew since */
enum { OLDEST_ABI = 1 };

#define EXPORTED __attribute__((visibility("default")))

static accshare_session *begin(accshare_region *region, const accshare_datum *data, unsigned count) {
  lock_take();
  accshare_session *session = session_begin(region, data, count);
  lock_give();
  return session;
}

static int scratch(accshare_session *session, unsigned long bytes) {
  lock_take();
  int index = session_scratch(session, bytes);
  lock_give();
  return index;
}

static int launch(accshare_session *session, const accshare_launch *launch) {
  lock_take();
  int done = session_launch(session, launch);
  lock_give();
  return done;
}

static int end(accshare_session *session) {
  lock_take();
  int done = session_end(session);
  lock_give();
  return done;
}

static void host(accshare_region *region, const char *reason) {
  lock_take();
  session_host(region, reason);
  lock_give();
}

static void data(int op, unsigned flags, const char *file, int line, const accshare_datum *data, unsigned count) {
  lock_take();
  place place = {file, line, env()->profile ? profile_data(file, line) : NULL};
  data_directive(op, flags, &place, data, count);
  lock_give();
}

/* Every operation is over when its call returns, so there is nothing to wait for. */
static void wait(void) {}

static void sizes(accshare_region *region, const char *const *names, const long *values, unsigned count) {
  lock_take();
  sizes_met(region, names, values, count);
  lock_give();
}

static int pays(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count) {
  if (breakeven_decided(region)) return 1;
  way again = breakeven_again(region, work);
  if (again != WAYS) return again != ON_HOST;
  lock_take();
  int pays = breakeven_pays(region, work, data, count);
  lock_give();
  return pays;
}

static int early(accshare_region *region, const accshare_work *work) {
  lock_take();
  int pays = breakeven_early(region, work);
  lock_give();
  return pays;
}

static void ended(accshare_region *region) {
  lock_take();
  learn_end(region);
  lock_give();
}

/* Of objects that know nothing of outermost loops. */
static accshare_work formless(const accshare_work *work) {
  return (accshare_work){work->operations, work->longest, work->launches, work->atomics, 0};
}

static int pays_formless(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count) {
  const accshare_work whole = formless(work);
  return pays(region, &whole, data, count);
}

static int early_formless(accshare_region *region, const accshare_work *work) {
  const accshare_work whole = formless(work);
  return early(region, &whole);
}

/* And don't tell when their host loops end. */
static int pays_untold(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count) {
  return pays_formless(region, work, data, count) > 0;
}

/* And know nothing of atomics. */
static int pays_without(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count) {
  const accshare_work whole = {work->operations, work->longest, work->launches, 0, 0};
  return pays(region, &whole, data, count) > 0;
}

static int find(accshare_region *region, accshare_datum *datum) {
  lock_take();
  int found = session_find(region, datum);
  lock_give();
  return found;
}

static void declare(int begins, const char *file, int line, const accshare_datum *data, unsigned count) {
  lock_take();
  for (unsigned i = 0; i < count; i++) {
    if (begins) {
      declared_begin(file, line, &data[i]);
    } else {
      declared_end(&data[i]);
    }
  }
  lock_give();
}

static int rows(int op, accshare_region *region, accshare_rows *tables, unsigned count, accshare_datum *data,
                unsigned data_count) {
  lock_take();
  bool done = tables_do(op, region, tables, count, data, data_count);
  lock_give();
  return done;
}

static int native(accshare_region *region, const accshare_datum *data, unsigned count, accshare_native *run) {
  if (native_again(region, data, count, run)) return 1;
  lock_take();
  int runs = native_begin(region, data, count, run);
  lock_give();
  return runs;
}

static void native_launched(accshare_native *run, const accshare_launch *launch, accshare_groups *groups,
                            const void *arguments) {
  int error = errno;
  bool told = native_told();
  double start = told ? clock_seconds() : 0;
  native_launch(launch, groups, arguments);
  errno = error; /* which is no more set than by other threads */
  if (!told) return;
  double seconds = clock_seconds() - start;
  lock_take();
  native_account(run, launch, seconds);
  lock_give();
}

static void look(accshare_groups *groups, const void *arguments, long count) {
  int error = errno;
  __accshare_pool_run(groups, arguments, count);
  errno = error;
}

static int in_bands(accshare_region *region, const accshare_datum *data, unsigned count, accshare_pace *pace, long left) {
  int error = errno;
  int bands = bands_next(region, data, count, pace, left);
  errno = error;
  return bands;
}

static void native_over(accshare_native *run) {
  if (native_ends_again(run)) return;
  lock_take();
  native_end(run);
  lock_give();
}

static void own_kernels(void) {
  lock_take();
  device_own_kernels();
  breakeven_native();
  lock_give();
}

static void control(int op, int given, int number) {
  acc_device_t type = (acc_device_t)given;
  bool every = number < 0;
  if (op == ACCSHARE_OWN_KERNELS) {
    own_kernels();
  } else if (op == ACCSHARE_INIT) {
    every ? acc_init(type) : acc_init_device(number, type);
  } else if (op == ACCSHARE_SHUTDOWN) {
    every ? acc_shutdown(type) : acc_shutdown_device(number, type);
  } else if (op == ACCSHARE_SET_DEVICE) {
    every ? acc_set_device_type(type) : acc_set_device_num(number, type);
  } else {
    acc_set_default_async(number);
  }
}

EXPORTED const accshare_api *accshare_runtime(int abi) {
  static accshare_api api = {ACCSHARE_ABI, begin, session_variant, scratch, launch, end,
                             host,         data,  wait,            NULL,    NULL,   &breakeven_small, session_units,
                             find,         declare, rows,            control, native,  native_scratch, native_launched, native_over,
                             ended, NULL, look, in_bands};
  static accshare_api told, untold, older;
  enum { KNOWS_ATOMICS = 8, TELLS_THE_END = 12, KNOWS_FORMS = 15 };
  if (abi < OLDEST_ABI || abi > ACCSHARE_ABI) return NULL;
  lock_take();
  if (sizes_wanted()) api.sizes = sizes;
  if (breakeven_wanted()) {
    api.pays = pays;
    api.early = early;
  }
  breakeven_refresh();
  told = api;
  if (api.pays) {
    told.pays = pays_formless;
    told.early = early_formless;
  }
  untold = older = told;
  if (api.pays) {
    untold.pays = pays_untold;
    older.pays = pays_without;
  }
  lock_give();
  return abi < KNOWS_ATOMICS ? &older : abi < TELLS_THE_END ? &untold : abi < KNOWS_FORMS ? &told : &api;
}

EXPORTED int accshare_prebuild(accshare_region *region) {
  lock_take();
  int ready = program_prebuild(region);
  lock_give();
  return ready;
}

EXPORTED void accshare_run_groups(accshare_groups *groups, const void *arguments, long count) {
  __accshare_pool_run(groups, arguments, count);
}

EXPORTED const char *accshare_devices_json(void) {
  static char *json;
  lock_take();
  if (!json) json = device_list_json();
  lock_give();
  return json;
}
