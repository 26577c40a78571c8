// Reductions over arrays: each update is made in one piece, wherever the data send it.
// prints: 4200 7000 38150 124 84000 760 6994 5600
// launches: 7
#include <stdio.h>

#define N 7000
static int bin[N], bits[4];
static double x[N], sums[10], lengths[3][4];
static unsigned char small[16];
static long whole[8];

static void by_clause(int n, double *restrict q)
{
  double count = 0;
#pragma acc parallel loop reduction(+ : q[0:10]) reduction(+ : count) copy(q[0:10]) copyin(x[0:n])
  for (int i = 0; i < n; i++) {
    q[i % 10] += x[i];
    count += 1;
    if (x[i] > 3)
      q[9] = q[9] + 1;
  }
  q[0] += count * 0;
}

static void two_kinds(int n)
{
#pragma acc kernels loop gang worker independent reduction(+ : whole, lengths) reduction(| : bits) copyin(bin, x)
  for (int i = 0; i < n; i++) {
    int k = bin[i];
    whole[k % 8]++;
    for (int j = 0; j < 4; j++)
      lengths[k % 3][j] += x[i] * j;
    bits[k % 4] |= 1 << k % 5;
  }
}

/* nobody names it, and the loop asks for parallelism */
static void inferred(int n)
{
  int l;
#pragma acc kernels loop gang vector private(l) copyin(bin[0:n])
  for (int i = 0; i < n; i++) {
    l = bin[i] % 10;
    sums[l] += 1.0;
  }
#pragma acc kernels loop gang copyin(bin[0:n])
  for (int i = 0; i < n; i++)
    small[bin[i] % 16] -= 3;
}

/* its old elements are read: in order */
static void not_only_updates(int n)
{
#pragma acc kernels loop gang copyin(bin[0:n])
  for (int i = 0; i < n; i++) {
    whole[bin[i] % 8] += 1;
    bin[i] = (int)(whole[3] % 3);
  }
}

static double each_row(int rows, int n)
{
  double most = 0;
#pragma acc parallel loop reduction(max : most) copyin(x)
  for (int r = 0; r < rows; r++) {
    double own[5];
    for (int k = 0; k < 5; k++)
      own[k] = 0;
#pragma acc loop reduction(+ : own)
    for (int i = 0; i < n; i++)
      own[(i + r) % 5] += x[i];
    for (int k = 0; k < 5; k++)
      most = own[k] > most ? own[k] : most;
  }
  return most;
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    bin[i] = i * 37 % 101;
    x[i] = i % 5;
  }
  by_clause(N, sums);
  int all = 0, odd = 0, masks = 0, wrapped = 0;
  for (int k = 0; k < 10; k++)
    all += (int)sums[k] * (k == 9 ? 1 : 0), sums[k] = 0;
  two_kinds(N);
  long counted = 0;
  double weighed = 0;
  for (int k = 0; k < 8; k++)
    counted += whole[k];
  for (int k = 0; k < 12; k++)
    weighed += lengths[k / 4][k % 4];
  for (int k = 0; k < 4; k++)
    masks += bits[k];
  inferred(N);
  double tens = 0;
  for (int k = 0; k < 10; k++)
    tens += sums[k] * (k + 1) / 100 * 100;
  for (int k = 0; k < 16; k++)
    wrapped += small[k];
  not_only_updates(N);
  for (int i = 0; i < N; i++)
    odd += bin[i];
  double best = each_row(40, N);
  printf("%d %ld %.0f %d %.0f %d %d %.0f\n", all, counted, tens, masks, weighed, wrapped, odd, best);
  return 0;
}
