/* A region in a header, in a function that is inlined twice. */
static inline void scale(int n, int by, int *x)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    x[i] *= by;
}
