// A loop over rows of which some elements are changed and the others set is in a kernel twice, beside products: each in
// strips of its own.
// prints: -44605 -36259 0
// launches: 2
#include <stdio.h>

static float q[19 * 21 * 18], k[19 * 21 * 18], att[21 * 19 * 19];

static void scores(int T, int H, int n, float q[T][H][n], float k[T][H][n], float att[H][T][T])
{
#pragma acc kernels
  for (int t = 0; t < T; t++)
    for (int h = 0; h < H; h++) {
      float most = 0;
      for (int s = 0; s <= t; s++) {
        float sum = 0;
        for (int i = 0; i < n; i++)
          sum += q[t][h][i] * k[s][h][i];
        if (sum > most)
          most = sum;
        att[h][t][s] = sum;
      }
      for (int s = 0; s < T; s++) {
        if (s <= t)
          att[h][t][s] -= most;
        else
          att[h][t][s] = 0;
      }
    }
}

static int total(int T, int H, int n)
{
  for (int i = 0; i < 19 * 21 * 18; i++) {
    q[i] = (float)(i * 5 % 7 - 2);
    k[i] = (float)(i * 3 % 5 - 1);
  }
  for (int i = 0; i < 21 * 19 * 19; i++)
    att[i] = 0;
  scores(T, H, n, (void *)q, (void *)k, (void *)att);
  double sum = 0;
  for (int i = 0; i < 21 * 19 * 19; i++)
    sum += att[i] * (i % 3);
  return (int)sum;
}

int main(void)
{
  printf("%d", total(19, 21, 18));
  printf(" %d", total(18, 19, 17));
  printf(" %d\n", total(19, 0, 18));
  return 0;
}
