/* What the test programs share: the runtime's table, and one region, y[i] += a * x[i], as accshare-cc would make it. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accshare_abi.h"

#define DATUM(movement, pointer, first, count)                                                              \
  {                                                                                                         \
    #pointer, (void *)(pointer), (long)((first) * (long)sizeof *(pointer)), (count) * sizeof *(pointer),    \
        sizeof *(pointer), movement                                                                         \
  }

enum { GROUP = 16 };

static const char axpy_source[] =
    "#ifdef CPU /* compiled for groups of a size */\n"
    "__attribute__((reqd_work_group_size(16, 1, 1)))\n"
    "#endif\n"
    "__kernel void axpy(__global const float *x, long x_first, __global float *y, long y_first,\n"
    "                   float a, int first, int n) {\n"
    "  x += x_first;\n"
    "  y += y_first;\n"
    "  int i = (int)get_global_id(0);\n"
    "  if (i < n) y[first + i] += a * x[first + i];\n"
    "}\n";

static const char *const axpy_kernels[] = {"axpy"};

static const accshare_variant axpy_variants[] = {
    {"generic-gpu", "gpu", axpy_source, "-DGPU", axpy_kernels, 1, GROUP, 0, 0},
    {"generic-cpu", "cpu", axpy_source, "-DCPU", axpy_kernels, 1, GROUP, 0, 0},
};

static accshare_region axpy_region = {"axpy.c", 7, "axpy", "axpy_7", axpy_variants, 2, NULL};

static inline const accshare_api *api(void) {
  const accshare_api *found = accshare_runtime(ACCSHARE_ABI);
  if (!found) abort();
  return found;
}

/* `launches` times y[i] += a * x[i] on the device for first <= i < first + n; 0: the host loops must run. */
static inline int axpy_on_device(float a, const accshare_datum data[2], int first, int n, int launches) {
  accshare_session *session = api()->begin(&axpy_region, data, 2);
  if (!session) return 0;
  const accshare_arg args[] = {{ACCSHARE_ARG_DATUM, 0, NULL, 0},
                               {ACCSHARE_ARG_DATUM, 1, NULL, 0},
                               {ACCSHARE_ARG_VALUE, 0, &a, sizeof a},
                               {ACCSHARE_ARG_VALUE, 0, &first, sizeof first},
                               {ACCSHARE_ARG_VALUE, 0, &n, sizeof n}};
  const accshare_launch launch = {0, 8, {(n + GROUP - 1) / GROUP, 1, 1}, {GROUP, 1, 1}, args, 5};
  for (int i = 0; i < launches; i++) {
    if (!api()->launch(session, &launch)) break;
  }
  return api()->end(session);
}

/* The region as a program would run it; 1: on the device, 0: on the host. */
static inline int axpy_with(float a, const float *x, int x_movement, float *y, int y_movement, int first, int n,
                            int launches) {
  const accshare_datum data[] = {DATUM(x_movement, x, first, (unsigned long)n),
                                 DATUM(y_movement, y, first, (unsigned long)n)};
  if (axpy_on_device(a, data, first, n, launches)) return 1;
  for (int l = 0; l < launches; l++) {
    for (int i = first; i < first + n; i++) y[i] += a * x[i];
  }
  return 0;
}

static inline int axpy(float a, const float *x, float *y, int first, int n) {
  return axpy_with(a, x, ACCSHARE_COPYIN, y, ACCSHARE_COPY, first, n, 1);
}

static inline void fill(float *array, int n, float start, float step) {
  for (int i = 0; i < n; i++) array[i] = start + step * (float)i;
}

/* data, enter data, exit data and update for one array of floats. */
static inline void data_op(int op, unsigned flags, int movement, float *array, int first, int count) {
  const accshare_datum datum = DATUM(movement, array, first, (unsigned long)count);
  api()->data(op, flags, "data.c", 5, &datum, 1);
}

#endif
