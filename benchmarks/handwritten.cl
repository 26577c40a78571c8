/* Product of two matrices by hand for a CPU: what a careful author of OpenCL would write for it.
 *
 * REAL is the element type; a tile has ROWS rows and two vectors of V elements; m, n and k are the sizes. A work-item is
 * a work-group. The last tile along a dimension lies within the matrix and overlaps the one before; what both write is equal.
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(REAL, V)
#define LOAD JOIN(vload, V)
#define STORE JOIN(vstore, V)
#define COLUMNS (2 * V)

/* B in panels of COLUMNS columns each, row after row: one work-item a row of a panel. */
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void pack(__global const REAL *restrict B, __global REAL *restrict panels)
{
  int row = get_global_id(0), panel = get_global_id(1);
  int column = min(panel * COLUMNS, n - COLUMNS);
  __global const REAL *from = B + (size_t)row * n + column;
  __global REAL *to = panels + ((size_t)panel * k + row) * COLUMNS;
  STORE(LOAD(0, from), 0, to);
  STORE(LOAD(1, from), 1, to);
}

/* out = 2 A B + 4 C: one work-item a tile, those of a panel one after the other. */
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void multiply(__global const REAL *restrict A, __global const REAL *restrict panels,
                       __global const REAL *restrict C, __global REAL *restrict out)
{
  int row = min((int)get_global_id(0) * ROWS, m - ROWS), panel = get_global_id(1);
  int column = min(panel * COLUMNS, n - COLUMNS);
  __global const REAL *a = A + (size_t)row * k, *b = panels + (size_t)panel * k * COLUMNS;
  VECTOR left[ROWS], right[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    left[r] = right[r] = 0;
  for (int l = 0; l < k; l++) {
    VECTOR b0 = LOAD(0, b + l * COLUMNS), b1 = LOAD(1, b + l * COLUMNS);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      VECTOR x = a[r * (size_t)k + l];
      left[r] = fma(x, b0, left[r]);
      right[r] = fma(x, b1, right[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    size_t at = (row + r) * (size_t)n + column;
    STORE((REAL)2 * left[r] + (REAL)4 * LOAD(0, C + at), 0, out + at);
    STORE((REAL)2 * right[r] + (REAL)4 * LOAD(1, C + at), 1, out + at);
  }
}
