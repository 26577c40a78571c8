// prints: 1005 1207 5
// prints: 1110 5.5
// prints: 315 105
// launches: 2
/* firstprivate variables that change: iterations have copies, and the program's own stays. */
#include <stdio.h>
enum { N = 1000 };
static int a[N], b[N];
static double d[N];
int main(void)
{
  int s = 5, t = 7, sum = 0;
  double f = 5.5;
#pragma acc parallel loop copyout(a, b) firstprivate(s, t)
  for (int i = 0; i < N; i++) {
    s += i;
    a[i] = s + 1;
    if (i % 3 == 0)
      t += 200;
    b[i] = t + s - 5 - (i % 3 == 0 ? 200 : 0);
    s -= i;
    if (i % 3 == 0)
      t -= 200;
  }
  printf("%d %d %d\n", a[999], b[200] + 1000, s);
#pragma acc parallel loop gang vector copyout(d) firstprivate(f) copyin(a)
  for (int i = 0; i < N; i++) {
    double before = f;
    for (int k = 0; k < 3; k++)
      f += a[i] * 0.5;
    d[i] = f - before;
    f = before;
  }
  printf("%g %g\n", d[734], f);
  /* one gang has one copy, which adds up */
  s = 0;
#pragma acc parallel loop num_gangs(1) firstprivate(s) copyout(a) reduction(max:sum)
  for (int i = 0; i < 15; i++) {
    s += i;
    a[i] = s;
    if (s > sum)
      sum = s;
  }
  printf("%d %d\n", a[14] * 3, sum);
  return 0;
}
