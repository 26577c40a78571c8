/* Says which OpenBLAS programs are linked with, and for which processor it chose its kernels. */
#include <cblas.h>
#include <stdio.h>

int main(void)
{
  printf("%s, %d threads\n", openblas_get_config(), openblas_get_num_threads());
  return 0;
}
