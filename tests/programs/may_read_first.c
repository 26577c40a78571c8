// Arrays of private clauses of which nobody can tell that all that is read was written before.
// prints: 1037803
// launches: 3
#include <stdio.h>

enum { N = 300, WIDTH = 8 };

static int digits[20], sums[N];
static float own[WIDTH], a[N][WIDTH], b[N];
static double table[2][3], c[N];

/* digits of a number, as many as it has */
static void add_up(int n)
{
#pragma acc parallel loop private(digits) copyout(sums[0:n])
  for (int i = 0; i < n; i++) {
    int count = 0, rest = i * 37;
    while (rest > 0) {
      digits[count++] = rest % 10;
      rest /= 10;
    }
    int sum = 0;
    for (int k = 0; k < count; k++)
      sum += digits[k] * (k + 1);
    sums[i] = sum;
  }
}

/* the same condition twice */
static void add_positive(int n)
{
#pragma acc kernels copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop independent private(own)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < WIDTH; k++)
      if (a[i][k] > 0)
        own[k] = a[i][k];
    float sum = 0;
    for (int k = 0; k < WIDTH; k++)
      if (a[i][k] > 0)
        sum += own[k];
    b[i] = sum;
  }
}

/* two dimensions, one row of which is written */
static void chosen(int n)
{
#pragma acc parallel loop private(table) copyin(a[0:n]) copyout(c[0:n])
  for (int i = 0; i < n; i++) {
    int row = a[i][0] > 0;
    for (int k = 0; k < 3; k++)
      table[row][k] = a[i][k + 1];
    c[i] = table[row][0] + 2 * table[row][1] + 4 * table[row][2];
  }
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int k = 0; k < WIDTH; k++)
      a[i][k] = (i * 31 + k * 17) % 23 - 11;
  add_up(N);
  add_positive(N);
  chosen(N);
  long sum = 0;
  for (int i = 0; i < N; i++)
    sum += sums[i] + (i + 1) * (long)(b[i] + c[i]);
  printf("%ld\n", sum);
  return 0;
}
