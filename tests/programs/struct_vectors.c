// Iterations that run loops of their own and store into members: of members, of narrower types than what is computed, in
// elements of arrays inside; and one iterator that chooses both the struct and the element in it.
// prints: 6481 -185846 80636 -1946392
// launches: 4
#include <stdio.h>
#include <string.h>

#define N 61

struct vector {
  double x, y;
};
struct body {
  struct vector at, force;
  float weight;
  short count;
  _Bool near;
};
struct row {
  int f[N];
};

static struct body body[N];
static struct row table[N];
static int diagonal[N];

static long long of_bodies(void)
{
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += (body[i].at.x + body[i].force.x - body[i].force.y + body[i].weight + body[i].count + body[i].near) * (i % 7);
  return (long long)sum;
}

static void pushed(int n, struct body *b)
{
#pragma acc parallel loop independent copy(b[0 : n])
  for (int i = 0; i < n; i++) {
    double x = 0, y = 0;
    for (int j = 0; j < n; j++) {
      x += (b[j].at.x - b[i].at.x) * b[j].weight;
      y += (b[j].at.y - b[i].at.y) * 2;
    }
    b[i].force.x += x;
    b[i].force.y = y;
  }
}

static void counted(int n, struct body *b)
{
#pragma acc parallel loop copy(b[0 : n])
  for (int i = 0; i < n; i++) {
    double sum = 0;
    int more = 0;
    for (int j = 0; j < 9; j++) {
      sum += b[i].at.x * j;
      more += j * i;
    }
    b[i].weight += sum / 4;
    b[i].count -= (short)more;
    b[i].near = more > 300;
  }
}

static void filled(int n, struct row *t)
{
#pragma acc parallel loop copy(t[0 : n])
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int j = 0; j < n; j++)
      sum += t[i].f[j] * (j & 3);
    t[i].f[2] += sum;
    t[i].f[i] = sum - i;
  }
}

static void crossed(int n, const struct row *t, int *d)
{
#pragma acc parallel loop copyin(t[0 : n]) copyout(d[0 : n])
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int j = 0; j < n; j++)
      sum += t[j].f[i] - t[i].f[i];
    d[i] = sum + t[i].f[i];
  }
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    body[i] = (struct body){{i % 5, i % 3}, {1, 2}, (float)(i % 4), (short)i, 0};
    for (int j = 0; j < N; j++)
      table[i].f[j] = (i * 3 + j * 5) % 8;
  }
  pushed(N, body);
  printf("%lld ", of_bodies());
  counted(N, body);
  printf("%lld ", of_bodies());
  filled(N, table);
  long sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += table[i].f[j] * (j % 4);
  printf("%ld ", sum);
  crossed(N, table, diagonal);
  sum = 0;
  for (int i = 0; i < N; i++)
    sum += diagonal[i] * (i % 5);
  printf("%ld\n", sum);
  return 0;
}
