// What programs do between a condition that the data decide and what their loops are after: flags and counts beside
// other work, variables that only a condition writes, goto in front of a region, bounds and rows that lie in arrays.
// prints: 1 0 1 714 4999 | 240 440 440 440 440 9200 | 0.5 3 5000 | 20896.5 37420027 42949672985
// launches: 10
#include <stdio.h>

#define N 5000
static _Bool mask[N], again[N], seen[N];
static int v[N], member[N];
static float f[N], centre[5];
static double sums[N];

static int frontier(int n)
{
  int tid, flag = 0, hits = 3, least = N;
  _Bool stop = 0;
#pragma acc kernels loop independent gang worker private(tid)
  for (tid = 0; tid < n; tid++) {
    if (again[tid] == 1) {
      mask[tid] = 1;
      seen[tid] = 1;
      stop = stop | 1;
      hits += 2;
      for (int k = 0; k < v[tid]; k++)
        hits++;
      flag = 1;
      if (v[tid] % 2) {
        member[tid] = 7;
        least = least < tid ? least : tid;
      }
      again[tid] = 0;
    }
  }
  int marked = 0, h = 3;
  for (int i = 0; i < n; i++) {
    marked += mask[i] && seen[i] && !again[i] && (v[i] % 2 == 0 || (member[i] == 7 && i >= least));
    if (i % 7 == 3)
      h += 2 + v[i];
  }
  printf("%d %d %d %d", stop, hits - h, flag, marked);
  return least;
}

/* what is counted is needed in the same iteration: it stays in order, on the host */
static int numbered(int n)
{
  int next = 0;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    if (v[i] > 5) {
      next += 1;
      member[next] = i;
    }
  return member[next];
}

static void clusters(int n, int groups, int *count)
{
  int i, j, nearest, index;
  float least;
#pragma acc kernels loop gang worker independent private(i, nearest, index, least) reduction(+ : count[0:5])
  for (i = 0; i < n; i++) {
    least = 1e30f;
    for (j = 0; j < groups; j++) {
      float d = (f[i] - centre[j]) * (f[i] - centre[j]);
      if (d < least) {
        least = d;
        nearest = j;
      }
    }
    index = nearest;
    member[i] = index;
    count[index]++;
  }
  long all = 0;
  for (i = 0; i < n; i++)
    all += member[i] * (i % 5);
  printf(" | %d %d %d %d %d %ld", count[0], count[1], count[2], count[3], count[4], all);
}

/* t and j are dead behind the regions, which the jump in front of them doesn't change */
static void jumped(int n)
{
  int i, j;
  double t;
  for (i = 0; i < 3; i++)
    if (v[i] < 0)
      goto out;
#pragma acc kernels loop gang worker
  for (i = 0; i < n; i++) {
    sums[i] = 0.5;
    for (j = 0; j < v[i]; j++)
      sums[i] += 1;
  }
#pragma acc kernels loop gang worker
  for (i = 0; i < n; i++) {
    t = sums[i];
    if (t > 6)
      for (j = 0; j < v[i]; j++)
        sums[i] -= 1;
  }
  for (i = 0; i < n && (sums[i] == 0.5 || v[i] < 6); i++)
    ;
  printf(" | %g %d %d", sums[12], (int)sums[3], i);
  return;
out:
  printf("out %d %d\n", i, v[i]);
}

/* each device's rows are in two arrays; what starts[d] is doesn't change, for no integer is stored */
static void parts(const int *starts)
{
  int ends[3] = {1000, 1001, 4001};
  for (int d = 0; d < 3; d++) {
#pragma acc kernels
    for (int i = starts[d]; i < ends[d]; i++)
      sums[i] = sums[i] * 2 + d;
  }
  double all = 0;
  for (int i = 0; i < N; i++)
    all += sums[i];
  printf(" | %g", all);
}

/* here the bound changes while the loop over it runs: nothing may be taken for fixed */
static int moving(int *ends, int d)
{
#pragma acc kernels
  for (int i = 0; i < ends[d]; i++)
    if (v[i] == 12)
      ends[d] = i;
  return ends[d];
}

/* rows from one place of an array to another, which may overlap and do here */
static long renumbered(int n, int first)
{
  static int place[N], rows[N + 2];
  int i, k;
  for (i = 0; i < N; i++) {
    place[i] = i;
    rows[i] = i / 2;
  }
  rows[n] = n;
#pragma acc kernels loop gang worker
  for (i = 0; i < n; i++)
    for (k = rows[i]; k < rows[i + 1] + i % 2; k++)
      place[k] = place[k] - first + 1;
  long all = 0;
  for (i = 0; i < N; i++)
    all += place[i] * (i % 7);
  return all;
}

/* what unsigned ints come to wraps before a long gets it */
static long wrapped(int n, unsigned a)
{
  long all[1] = {0};
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    all[0] = all[0] + i + (a - 3u);
  }
  return all[0];
}

int main(void)
{
  const int starts[] = {0, 1000, 1001};
  int ends[] = {1, N}, count[5] = {0};
  for (int i = 0; i < N; i++) {
    again[i] = i % 7 == 3;
    v[i] = i % 13;
  }
  frontier(N);
  printf(" %d", numbered(N));
  for (int i = 0; i < N; i++)
    f[i] = i % 50;
  for (int i = 0; i < 5; i++)
    centre[i] = i * 11;
  clusters(2000, 5, count);
  jumped(N);
  parts(starts);
  printf(" %ld", renumbered(N - 1, 4));
  printf(" %ld\n", wrapped(10, 1));
  return moving(ends, 1) - 12;
}
