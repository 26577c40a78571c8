// Vectors of iterations that have arrays of their own, load from places they compute and choose several variables at once.
// prints: 315180 -7318360.25 683071 418949 47973 525031 418949 47973
// launches: 6
#include <stdio.h>

#define N 1003
#define L 9
#define K 7
static char a[N][L], b[N][L];
static int distance[N], where[N], kept[N];
static double wave[K][N], moved[K][N], point[N][3], centre[K][3];
static short count[N];

static void distances(int n)
{
#pragma acc parallel loop
  for (int p = 0; p < n; p++) {
    int row[L + 1];
    for (int j = 0; j <= L; j++)
      row[j] = j;
    for (int i = 1; i <= L; i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= L; j++) {
        int change = diagonal + (a[p][i - 1] != b[p][j - 1]);
        diagonal = row[j];
        int gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
        row[j] = change < gap ? change : gap;
      }
    }
    distance[p] = row[L];
  }
}

/* where waves come from is computed, round the ends */
static void stream(int n, const double (*restrict from)[N], double (*restrict to)[N])
{
#pragma acc parallel loop
  for (int x = 0; x < n; x++) {
    double in[K], sum = 0, square = 0;
    for (int q = 0; q < K; q++) {
      int s = x + q - 3;
      s = s < 0 ? s + n : s >= n ? s - n : s;
      in[q] = from[q][s];
      sum += in[q];
      square += in[q] * in[q];
    }
    for (int q = 0; q < K; q++)
      to[q][x] = in[q] + 0.5 * (sum * (q + 1) - square) + in[q] * in[q] * 0.25 - in[K - 1 - q];
  }
}

/* two variables are chosen by one that changes with them; others by what is the same for all; shorts by numbers */
static void nearest(int n, int odd)
{
#pragma acc parallel loop
  for (int i = 0; i < n; i++) {
    double best = 1e30;
    int which = 0, ties = 0;
    short larger = 0;
    for (int k = 0; k < K; k++) {
      double d = 0;
      for (int c = 0; c < 3; c++)
        d += (point[i][c] - centre[k][c]) * (point[i][c] - centre[k][c]) + point[i][c] * 0.0 + (k * 0.0) * (c - 1.0);
      if (d < best) {
        best = d;
        which = k;
        ties = 0;
      } else {
        ties += d == best;
        larger = (short)(larger + (d > 2 * best) * 3);
      }
      if (odd)
        which = which ^ (k & 1);
    }
    where[i] = which;
    kept[i] = ties;
    count[i] = larger;
  }
}

static long mixed(const int *p)
{
  long all = 0;
  for (int i = 0; i < N; i++)
    all = (all * 31 + p[i]) % 1000003;
  return all;
}

int main(void)
{
  for (int p = 0; p < N; p++) {
    for (int i = 0; i < L; i++) {
      a[p][i] = (char)('a' + (p * 7 + i * i) % 4);
      b[p][i] = (char)('a' + (p * 3 + i * 5) % 3);
    }
    for (int q = 0; q < K; q++)
      wave[q][p] = (p * (q + 2)) % 17;
    for (int c = 0; c < 3; c++)
      point[p][c] = (p * (c + 3)) % 11;
  }
  for (int k = 0; k < K; k++)
    for (int c = 0; c < 3; c++)
      centre[k][c] = (k * 5 + c * 3) % 12;
  distances(N);
  printf("%ld", mixed(distance));
  distances(3);
  stream(N, (const double(*)[N])wave, moved);
  stream(5, (const double(*)[N])wave, moved);
  double sum = 0;
  for (int q = 0; q < K; q++)
    for (int x = 0; x < N; x++)
      sum += moved[q][x] * ((x + q) % 13);
  printf(" %.2f", sum);
  for (int odd = 0; odd < 2; odd++) {
    nearest(N - odd, odd);
    long shorts = 0;
    for (int i = 0; i < N; i++)
      shorts = (shorts * 17 + count[i]) % 1000003;
    printf(" %ld %ld %ld", mixed(where), mixed(kept), shorts);
  }
  printf("\n");
  return 0;
}
