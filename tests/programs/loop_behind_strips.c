// A loop that the last work-items of a group have no part in, behind one that goes strip by strip: PoCL had them run it.
// prints: 1
// launches: 1
#include <stdio.h>

static int d[30 * 77], r[75];

static void rows(int m, int n, int c[m][n])
{
#pragma acc kernels loop copyin(c[0:m][0:n])
  for (int i = 0; i < m; i++) {
    int last = 0, sum = 0, most = -1000;
    for (int j = 0; j < n; j++) {
      last = c[i][j];
      sum += sum / 2 + last;
    }
    for (int j = 0; j < n; j++)
      if (c[i][j] > most)
        most = c[i][j];
    for (int j = 0; j < n; j++)
      sum += c[i][(j * 7 + i) % n] / (j + 1);
    r[i] = sum % 1000 + last + most;
  }
}

int main(void)
{
  for (int k = 0; k < 30 * 77; k++)
    d[k] = k * 7919 % 101 - 50;
  rows(30, 77, (int(*)[77])d);
  int right = 1;
  for (int i = 0; i < 75; i++) {
    int last = 0, sum = 0, most = -1000;
    for (int j = 0; i < 30 && j < 77; j++) {
      last = d[i * 77 + j];
      sum += sum / 2 + last;
      most = last > most ? last : most;
    }
    for (int j = 0; i < 30 && j < 77; j++)
      sum += d[i * 77 + (j * 7 + i) % 77] / (j + 1);
    right = right && r[i] == (i < 30 ? sum % 1000 + last + most : 0);
  }
  printf("%d\n", right);
  return 0;
}
