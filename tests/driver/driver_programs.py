"""A program with a region, to be compiled in many ways."""

#: of integers, so that it can be compiled without floating-point registers
REGION = """\
#include <stdio.h>
#include "size.h"
#define PART [0:n]

void scale(int n, int f, int a[n], const int b[n])
{
#pragma acc kernels loop copyin(b PART) copyout(a PART)
  for (int i = 0; i < n; i++)
    a[i] = f * b[i];
}

#ifndef X
#define X 2
#endif
#ifndef NO_MAIN
int main(void)
{
  int a[SIZE], b[SIZE];
  for (int i = 0; i < SIZE; i++)
    b[i] = i;
  scale(SIZE, X + 0, a, b);
  printf("%s %d %d\\n", __FILE__, __LINE__, a[SIZE - 1]);
  return 0;
}
#endif
"""
