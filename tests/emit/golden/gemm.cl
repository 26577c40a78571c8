#line 4 "gemm.c"
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void gemm_l4(__global const float *restrict A, long A_first,
             __global const float *restrict B, long B_first,
             __global float *restrict C, long C_first,
             int n)
{
  A += A_first;
  B += B_first;
  C += C_first;
  __local float A_tile[16][16];
  __local float B_tile[16][16];
  float sum;
  const long y = (long)get_local_id(1);
  const long x = (long)get_local_id(0);
  const long i = (long)(get_group_id(1) + get_global_offset(1) / 16) * 16L + y;
  const long j = (long)get_group_id(0) * 16L + x;
#line 6
  sum = 0;
  /* tiles of A and B pass through local memory */
  for (long t = 0L; t < n; t += 16) {
    A_tile[y][x] = i < n && t + x < n ? A[i * n + (t + x)] : 0.0f;
    B_tile[y][x] = t + y < n && j < n ? B[(t + y) * n + j] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 4
#line 7
    for (long k = 0L; k < 16L; k++) {
      sum += A_tile[y][k] * B_tile[k][x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n && j < n) {
#line 9
    C[i * n + j] = sum;
  }
}
