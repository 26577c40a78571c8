/* B = A^T by tiles of 32 x 32, whose rows are one element apart from a power of two; a work-item moves four elements of a column.
 * A has `rows` rows. */
#define TILE 32
#define STEP 8

__attribute__((reqd_work_group_size(TILE, STEP, 1)))
__kernel void mt(int rows, int columns, __global const float *restrict A, __global float *restrict B)
{
  __local float tile[TILE][TILE + 1];
  int x = get_local_id(0), y = get_local_id(1);
  int row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;

#pragma unroll
  for (int r = y; r < TILE; r += STEP)
    if (row + r < rows && column + x < columns)
      tile[r][x] = A[(size_t)(row + r) * columns + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int r = y; r < TILE; r += STEP)
    if (column + r < columns && row + x < rows)
      B[(size_t)(column + r) * rows + row + x] = tile[x][r];
}
