// declare: data that stay on the device, in a function and everywhere.
// prints: 45 10 55
// launches: 4
#include <stdio.h>

enum { N = 10 };
static int a[N];
#pragma acc declare create(a)

static void add(int n, int *b)
{
#pragma acc declare present(b[0:n])
#pragma acc parallel loop present(b[0:n])
  for (int i = 0; i < n; i++)
    b[i] += 1;
}

static int sum(void)
{
  int s = 0;
#pragma acc update self(a)
  for (int i = 0; i < N; i++)
    s += a[i];
  return s;
}

int main(void)
{
#pragma acc parallel loop default(present)
  for (int i = 0; i < N; i++)
    a[i] = i;
  int first = sum();
#pragma acc parallel loop present(a)
  for (int i = 0; i < N; i++)
    a[i] -= 1;
  int second = first - sum();
#pragma acc update device(a)
  add(N, a);
  add(N, a);
  printf("%d %d %d\n", first, second, sum());
  return 0;
}
