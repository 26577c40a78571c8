/* The environment variables, read once. */
#ifndef ACCSHARE_ENV_H
#define ACCSHARE_ENV_H

#include <stdbool.h>

#include "../include/openacc.h"

typedef enum offload { OFFLOAD_DEFAULT, OFFLOAD_DISABLED, OFFLOAD_MANDATORY } offload;

enum { NOTIFY_LAUNCHES = 1, NOTIFY_TRANSFERS = 2 };

typedef struct environment {
  offload offload;           /* ACCSHARE_OFFLOAD */
  bool break_even;           /* ACCSHARE_BREAK_EVEN; false: what can run on a device does, however little it is */
  unsigned notify;           /* ACCSHARE_NOTIFY */
  const char *profile;       /* ACCSHARE_PROFILE; NULL: off */
  const char *record;        /* ACCSHARE_RECORD; NULL: off */
  acc_device_t device_type;  /* ACC_DEVICE_TYPE */
  int device_num;            /* ACC_DEVICE_NUM */
  int threads;               /* ACCSHARE_THREADS, that run native kernels; below 1: unset */
  int openmp_threads;        /* OMP_NUM_THREADS; 0: unset */
  bool learn;                /* ACCSHARE_LEARN; false: where regions run is decided by their sizes alone */
  bool zero_copy;            /* ACCSHARE_ZERO_COPY; false: keep a copy of the data even where memory is shared */
} environment;

const environment *env(void);

/* Whether ACCSHARE_LEARN says so now: for what is done before the program may change its mind, which `env` waits for. */
bool learning_is_off(void);

/* Environment variable `name`; NULL when it is unset, and in a privileged program. */
const char *setting(const char *name);
/* Whether the program has rights that its user lacks (setuid, setgid, capabilities): then it obeys no variable, and all
 * runs on the host, as drivers and compilers of OpenCL read variables too. */
bool is_privileged(void);

#endif
