/* A filter of 5 x 5 points: a work-group of 32 x 8 pixels has them and their frame in local memory, and the weights where all
 * work-items read the same. */
#define ACROSS 32
#define DOWN 8
#define FRAME 4

__attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
__kernel void gauss(int height, int width, __constant const int *restrict weight, __global const uchar *restrict in,
                    __global uchar *restrict out)
{
  __local uchar tile[DOWN + FRAME][ACROSS + FRAME];
  int x = get_local_id(0), y = get_local_id(1);
  int row = get_group_id(1) * DOWN, column = get_group_id(0) * ACROSS;

  for (int r = y; r < DOWN + FRAME; r += DOWN)
    for (int c = x; c < ACROSS + FRAME; c += ACROSS)
      if (row + r < height && column + c < width)
        tile[r][c] = in[(size_t)(row + r) * width + column + c];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row + y >= height - FRAME || column + x >= width - FRAME)
    return;
  int sum = 0;
#pragma unroll
  for (int v = 0; v < 5; v++)
#pragma unroll
    for (int u = 0; u < 5; u++)
      sum += weight[5 * v + u] * tile[y + v][x + u];
  out[(size_t)(row + y + 2) * width + column + x + 2] = (uchar)(sum / 256);
}
