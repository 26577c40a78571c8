/* More groups along y and z than GPUs of NVIDIA take: their launches come in parts. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 530008, COLUMNS = 2, PLANES = 140001, HEIGHT = 4, WIDTH = 3 };

static void rows(int n, int m, int a[n][m], int b[n][m])
{
#pragma acc parallel loop collapse(2) copyin(b[0:n][0:m]) copy(a[0:n][0:m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i][j] * 3 + b[i][j] + i;
}

static void planes(int n, int m, int l, int a[n][m][l])
{
#pragma acc parallel loop collapse(3) copyout(a[0:n][0:m][0:l])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        a[i][j][k] = i + 2 * j + 3 * k;
}

int main(void)
{
  int(*a)[COLUMNS] = malloc(sizeof(int[ROWS][COLUMNS]));
  int(*b)[COLUMNS] = malloc(sizeof(int[ROWS][COLUMNS]));
  int(*c)[HEIGHT][WIDTH] = malloc(sizeof(int[PLANES][HEIGHT][WIDTH]));
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      a[i][j] = i % 7 + j;
      b[i][j] = i % 5 - j;
    }
  rows(ROWS, COLUMNS, a, b);
  planes(PLANES, HEIGHT, WIDTH, c);
  int wrong = 0, lost = 0;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      wrong += a[i][j] != (i % 7 + j) * 3 + i % 5 - j + i;
  for (int i = 0; i < PLANES; i++)
    for (int j = 0; j < HEIGHT; j++)
      for (int k = 0; k < WIDTH; k++)
        lost += c[i][j][k] != i + 2 * j + 3 * k;
  printf("%d of %d rows, %d of %d planes\n", wrong, ROWS * COLUMNS, lost, PLANES * HEIGHT * WIDTH);
  free(a);
  free(b);
  free(c);
  return 0;
}
