/* C = alpha A B + beta C: a work-group has 64 x 64 elements, a work-item 4 x 4 of them in registers; strips of 16 of both matrices
 * lie in local memory, that of A by columns, so that both sides are read by vectors. */
#define TILE 64
#define STRIP 16
#define ITEMS 256

__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void gemm(int m, int n, int k, float alpha, __global const float *restrict A, __global const float *restrict B,
                   float beta, __global float *restrict C)
{
  __local float a[STRIP][TILE + 4], b[STRIP][TILE];
  int x = get_local_id(0), y = get_local_id(1), item = y * 16 + x;
  int row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;
  float4 sum[4] = {(float4)(0), (float4)(0), (float4)(0), (float4)(0)};

  for (int l = 0; l < k; l += STRIP) {
#pragma unroll
    for (int e = item; e < TILE * STRIP; e += ITEMS) {
      int across = e % STRIP, down = e / STRIP;
      a[across][down] = row + down < m && l + across < k ? A[(size_t)(row + down) * k + l + across] : 0;
      across = e % TILE, down = e / TILE;
      b[down][across] = l + down < k && column + across < n ? B[(size_t)(l + down) * n + column + across] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int p = 0; p < STRIP; p++) {
      float4 left = *(__local const float4 *)&a[p][4 * y], right = *(__local const float4 *)&b[p][4 * x];
      sum[0] += left.x * right;
      sum[1] += left.y * right;
      sum[2] += left.z * right;
      sum[3] += left.w * right;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  row += 4 * y, column += 4 * x;
#pragma unroll
  for (int r = 0; r < 4; r++) {
    float each[4] = {sum[r].x, sum[r].y, sum[r].z, sum[r].w};
#pragma unroll
    for (int c = 0; c < 4; c++)
      if (row + r < m && column + c < n) {
        __global float *to = C + (size_t)(row + r) * n + column + c;
        *to = alpha * each[c] + beta * *to;
      }
  }
}
