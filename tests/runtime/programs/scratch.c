/* A region with scratch memory, double precision, local memory and several kernels: a sum in two steps. */
#include "support.h"

enum { N = 1000, WIDTH = 32, GROUPS = 8 };

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void part(__global const double *x, long x_first, __global double *sums, long sums_first, int n) {\n"
    "  __local double own[32];\n"
    "  x += x_first;\n"
    "  int l = (int)get_local_id(0);\n"
    "  double sum = 0;\n"
    "  for (int i = (int)get_global_id(0); i < n; i += (int)get_global_size(0)) sum += x[i];\n"
    "  own[l] = sum;\n"
    "  for (int step = 16; step > 0; step /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < step) own[l] += own[l + step];\n"
    "  }\n"
    "  if (l == 0) sums[sums_first + get_group_id(0)] = own[0];\n"
    "}\n"
    "__kernel void whole(__global const double *sums, long sums_first, __global double *sum, long sum_first) {\n"
    "  double total = sum[sum_first];\n"
    "  for (int i = 0; i < 8; i++) total += sums[sums_first + i];\n"
    "  sum[sum_first] = total;\n"
    "}\n";

static const char *const kernels[] = {"part", "whole"};
static const accshare_variant variants[] = {
    {"greedy", "cpu", source, "", kernels, 2, 1UL << 40, 0, ACCSHARE_NEEDS_FP64}, /* fits nowhere */
    {"too-local", "any", source, "", kernels, 2, WIDTH, 1UL << 40, ACCSHARE_NEEDS_FP64},
    {"generic-gpu", "gpu", source, "", kernels, 2, WIDTH, 256, ACCSHARE_NEEDS_FP64},
};
static accshare_region region = {"sum.c", 20, "sum", "sum_20", variants, 3, NULL};

int main(void) {
  static double x[N];
  double sum = 5;
  int n = N;
  for (int i = 0; i < N; i++) x[i] = i;
  const accshare_datum data[] = {DATUM(ACCSHARE_COPYIN, x, 0, N), DATUM(ACCSHARE_COPY, &sum, 0, 1)};
  accshare_session *session = api()->begin(&region, data, 2);
  if (!session) return 1;
  unsigned sums = (unsigned)api()->scratch(session, GROUPS * sizeof(double));
  const accshare_arg part_args[] = {{ACCSHARE_ARG_DATUM, 0, NULL, 0},
                                    {ACCSHARE_ARG_SCRATCH, sums, NULL, 0},
                                    {ACCSHARE_ARG_VALUE, 0, &n, sizeof n}};
  const accshare_arg whole_args[] = {{ACCSHARE_ARG_SCRATCH, sums, NULL, 0}, {ACCSHARE_ARG_DATUM, 1, NULL, 0}};
  const accshare_launch empty = {0, 21, {0, 1, 1}, {WIDTH, 1, 1}, part_args, 3};
  const accshare_launch part = {0, 21, {GROUPS, 1, 1}, {WIDTH, 1, 1}, part_args, 3};
  const accshare_launch whole = {1, 23, {1, 1, 1}, {1, 1, 1}, whole_args, 2};
  int launched = api()->launch(session, &empty) + api()->launch(session, &part) + api()->launch(session, &whole);
  const char *target = variants[api()->variant(session)].target;
  int done = api()->end(session);
  printf("%d %d %s %g\n", launched, done, target, sum);
  return 0;
}
