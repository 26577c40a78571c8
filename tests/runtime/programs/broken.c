/* A region whose kernel the OpenCL compiler rejects, called twice. */
#include "support.h"

static const accshare_variant bad[] = {{"generic-gpu", "any",
                                        "#line 42 \"user.c\"\n__kernel void axpy(__global float *x) { x[0] = nonsense; }\n",
                                        "", axpy_kernels, 1, GROUP, 0, 0}};

int main(void) {
  float x[8], y[8];
  fill(x, 8, 1, 0);
  fill(y, 8, 0, 1);
  axpy_region.variants = bad;
  axpy_region.variant_count = 1;
  int ran = axpy(1, x, y, 0, 8) + axpy(1, x, y, 0, 8);
  printf("device=%d %g\n", ran, y[3]);
  return 0;
}
