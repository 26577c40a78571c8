/* y = A x: 32 work-items go along a row side by side, eight rows a work-group, and add up in local memory. */
#define LANES 32
#define ROWS 8

__attribute__((reqd_work_group_size(LANES, ROWS, 1)))
__kernel void mv(int rows, int columns, __global const float *restrict A, __global const float *restrict x,
                 __global float *restrict y)
{
  __local float sums[ROWS][LANES];
  int lane = get_local_id(0), r = get_local_id(1), row = get_group_id(0) * ROWS + r;

  float sum = 0;
  if (row < rows) {
    __global const float *a = A + (size_t)row * columns;
#pragma unroll 4
    for (int j = lane; j < columns; j += LANES)
      sum += a[j] * x[j];
  }
  sums[r][lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int part = LANES / 2; part > 0; part /= 2) {
    if (lane < part)
      sums[r][lane] += sums[r][lane + part];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && row < rows)
    y[row] = sums[r][0];
}
