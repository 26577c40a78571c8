// prints: 5000 499500 499500 8
// launches: 2
/* A pragma says how structs lie in memory. */
#include <stdio.h>

enum { N = 1000 };
#pragma pack(push, 1)
struct close {
  char c;
  int n;
};
#pragma pack(pop)
struct apart {
  char c;
  int n;
};
static struct close close[N];
static struct apart apart[N];

int main(void)
{
  long first = 0, second = 0;
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    close[i].n = i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    apart[i].n = close[i].n;
  for (int i = 0; i < N; i++) {
    first += close[i].n;
    second += apart[i].n;
  }
  printf("%d %ld %ld %d\n", (int)sizeof close, first, second, (int)sizeof(struct apart));
  return 0;
}
