/* A step of the thermal simulation: a work-item takes four cells of a column, whose neighbours above and below it keeps in
 * registers, and leaves those beside it to the cache. Grids have a frame of one cell. */
#define ACROSS 32
#define DOWN 4
#define EACH 4

__attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
__kernel void hotspot(int rows, int columns, __global const float *restrict power, __global const float *restrict now,
                      __global float *restrict next)
{
  int j = get_global_id(0) + 1, first = get_global_id(1) * EACH + 1;
  if (j > columns || first > rows)
    return;
  size_t pitch = columns + 2;
  __global const float *at = now + (size_t)first * pitch + j;
  float above = at[-(long)pitch], here = at[0];
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    if (first + i > rows)
      break;
    float below = at[pitch];
    float along_row = at[-1] + at[1] - 2.0f * here, along_column = above + below - 2.0f * here;
    size_t place = (size_t)(first + i) * pitch + j;
    next[place] = here + 0.5f * (power[place] + 0.125f * along_row + 0.25f * along_column + 0.015625f * (80.0f - here));
    above = here;
    here = below;
    at += pitch;
  }
}
