// Arrays that loops only update: each group does so in a copy of its own, which is added to the array in the end.
// prints: 646307 134616 361412
// prints: 4550956 927815 413283 662766
// prints: 713583 834944 487357
// prints: 239594 2
// prints: 998137 434657
// launches: 22
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 9000
#define BINS 24
static unsigned char key[N];
static short narrow[N];
static int weight[N], bins[BINS], grid[4][6], hist_own[3], wide[70000];
static unsigned bits[3][5];
static unsigned char small[7];
static long far[BINS];
static float x[N], sums[6], most[5];
static double least[5], product[3];

static long digest(const void *data, size_t size)
{
  const unsigned char *bytes = data;
  unsigned long h = 0;
  for (size_t k = 0; k < size; k++)
    h = h * 31 + bytes[k];
  return h % 1000003;
}
#define DIGEST(a) digest(a, sizeof a)

static void counted(int n)
{
#pragma acc parallel loop copyin(key[0:n])
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    bins[key[i] % BINS]++;
  }
}

/* a section behind a pointer, whose length is known when the program runs; and a name that a copy might have */
static void section(int n, const short *restrict k, int first, int count, long *restrict to)
{
  (void)count;
#pragma acc parallel loop copyin(k[0:n]) copy(to[first:count], hist_own)
  for (int i = n - 1; i >= 0; i -= 2) {
    int at = (k[i] & 7) + first;
#pragma acc atomic update
    to[at] -= k[i];
#pragma acc atomic
    hist_own[i % 3] ^= at;
  }
}

/* every kind of number and operator, and a scalar that is combined too */
static long kinds(int n)
{
  long total = 0;
#pragma acc parallel loop reduction(+ : total, sums[0:6]) reduction(max : most) reduction(min : least) \
    reduction(* : product)
  for (int i = 0; i < n; i++) {
    sums[key[i] % 6] += weight[i] & 3;
    if (x[i] > most[i % 5])
      most[i % 5] = x[i];
    least[key[i] % 5] = fmin(least[key[i] % 5], x[i]);
    product[key[i] % 3] *= i % 1000 == 7 ? 2 : 1;
    total += weight[i];
#pragma acc atomic
    small[weight[i] & 3] += 3;
    if (x[i] > 0) {
#pragma acc atomic
      bits[i % 3][key[i] % 5] |= 1u << (weight[i] & 31);
    }
  }
  return total;
}

/* two loops in parallel, one in each iteration, and an array that is read before and after */
static int nested(int n, int m)
{
  int odd = 0;
#pragma acc kernels copyin(key, weight)
  {
#pragma acc loop independent
    for (int i = 0; i < n; i++)
#pragma acc loop independent
      for (int j = 0; j < m; j++) {
#pragma acc atomic
        grid[key[i] & 3][weight[j] & 3] += j;
        for (int k = 0; k < 3; k++) {
#pragma acc atomic
          grid[3][5 - k] += i;
        }
      }
#pragma acc loop reduction(+ : odd)
    for (int i = 0; i < 24; i++)
      odd += grid[i / 6][i % 6] % 2;
  }
  return odd;
}

/* too many for any copy, and some that look at what was there */
static void no_copies(int n)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
#pragma acc atomic
    wide[(i * 7919) % 70000] += weight[i];
    int was;
#pragma acc atomic capture
    was = bins[key[i] % BINS]++;
    weight[i] = was >= 0;
  }
}

int main(void)
{
  for (int i = 0; i < N; i++) {
    key[i] = i * 37 % 251;
    narrow[i] = i * 7919 % 1001 - 500;
    weight[i] = i * 31 % 1013;
    x[i] = i * 17 % 1009 / 4.0f - 100;
    if (i % 13 == 0)
      x[i] = NAN;
  }
  for (int k = 0; k < 5; k++)
    most[k] = -1000, least[k] = 1000;
  for (int k = 0; k < 3; k++)
    product[k] = 3;
  least[1] = NAN, most[4] = NAN;
  long total = 0;
  int odd = 0;
  const int sizes[] = {0, 5, N};
  for (int k = 0; k < 3; k++) {
    counted(sizes[k]);
    section(sizes[k], narrow, 3, 8, far);
    total += kinds(sizes[k]);
    odd = nested(sizes[k] / 50 + 1, sizes[k] / 30 + 1);
  }
  printf("%ld %ld %ld\n", DIGEST(bins), DIGEST(far), DIGEST(hist_own));
  printf("%ld %ld %ld %ld\n", total, DIGEST(sums), DIGEST(small), DIGEST(bits));
  printf("%ld %ld %ld\n", DIGEST(most), DIGEST(least), DIGEST(product));
  printf("%ld %d\n", DIGEST(grid), odd);
  no_copies(N);
  printf("%ld %ld\n", DIGEST(wide), DIGEST(bins));
  return 0;
}
