/* Regions that are for a device, and others that are not, by turns on the same data: present or not, made by the program, in rows, at
 * addresses of the device. Prints "right". */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG = 100000, SMALL = 64, ROWS = 300, COLUMNS = 500 };

static int wrong;

static void expect(int right, const char *what)
{
  if (right) return;
  printf("wrong: %s\n", what);
  wrong = 1;
}

/* the device's */
static void many(int n, int *a)
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    int t = a[i];
    for (int k = 0; k < 99; k++) t = t * 3 + k % 5;
    a[i] = t + 1;
  }
}

static int step(int t)
{
  for (int k = 0; k < 99; k++) t = t * 3 + k % 5;
  return t + 1;
}

/* the processor's */
static void few(int n, int *a)
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] += 7;
}

/* the same inside and outside of data regions */
static void turns(int present, int *a, int *want)
{
  for (int i = 0; i < BIG; i++) a[i] = want[i] = i % 1000;
#pragma acc data copy(a[0:BIG]) if(present)
  {
    for (int t = 0; t < 3; t++) {
      many(BIG, a);
      few(SMALL, a + 5);
      for (int i = 0; i < BIG; i++) want[i] = step(want[i]);
      for (int i = 5; i < 5 + SMALL; i++) want[i] += 7;
#pragma acc update host(a[10:20]) if_present
      expect(!memcmp(a + 10, want + 10, 20 * sizeof *a), "update host");
      a[10] = want[10] = 4711 + t;
#pragma acc update device(a[10:1]) if_present
    }
    few(SMALL, a);
    for (int i = 0; i < SMALL; i++) want[i] += 7;
    many(BIG, a);
    for (int i = 0; i < BIG; i++) want[i] = step(want[i]);
  }
  expect(!memcmp(a, want, BIG * sizeof *a), present ? "turns, present" : "turns");
}

static void unstructured(int *a, int *want)
{
  for (int i = 0; i < BIG; i++) a[i] = want[i] = i % 77;
  few(SMALL, a);
#pragma acc enter data copyin(a[0:BIG])
  for (int i = 0; i < SMALL; i++) want[i] += 7;
  many(BIG, a);
#pragma acc parallel loop present(a[0:SMALL])
  for (int i = 0; i < SMALL; i++) a[i] -= 2;
#pragma acc exit data copyout(a[0:BIG])
  for (int i = 0; i < BIG; i++) want[i] = step(want[i]) - (i < SMALL ? 2 : 0);
  expect(!memcmp(a, want, BIG * sizeof *a), "enter data");
}

static void created(int *a, int *want)
{
  int *b = malloc(BIG * sizeof *b);
  memset(b, 1, BIG * sizeof *b);
  for (int i = 0; i < BIG; i++) a[i] = i, want[i] = step(i) * 2;
#pragma acc data create(b[0:BIG]) copy(a[0:BIG])
  {
#pragma acc parallel loop present(a[0:BIG], b[0:BIG])
    for (int i = 0; i < BIG; i++) {
      int t = a[i];
      for (int k = 0; k < 99; k++) t = t * 3 + k % 5;
      b[i] = t + 1;
    }
#pragma acc parallel loop present(b[0:SMALL])
    for (int i = 0; i < SMALL; i++) b[i] += b[i] & 1 ? 2 : 4;
#pragma acc parallel loop present(a[0:BIG], b[0:BIG])
    for (int i = 0; i < BIG; i++) a[i] = 2 * b[i];
  }
  for (int i = 0; i < SMALL; i++) want[i] += want[i] / 2 & 1 ? 4 : 8;
  expect(!memcmp(a, want, BIG * sizeof *a), "create");
  free(b);
}

static void rows(void)
{
  float **t = malloc(ROWS * sizeof *t);
  for (int i = 0; i < ROWS; i++) t[i] = malloc((COLUMNS + i % 3) * sizeof **t);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) t[i][j] = (float)(i + j);
  for (int r = 0; r < 2; r++) {
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++) {
        float s = t[i][j];
        for (int k = 0; k < 50; k++) s = s * 0.5f + 1;
        t[i][j] = s + i;
      }
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) t[i][j] += 1;
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      float want = (float)(i + j);
      for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 50; k++) want = want * 0.5f + 1;
        want += i;
        if (i < 4 && j < 4) want += 1;
      }
      if (t[i][j] != want) { expect(0, "rows"); i = ROWS - 1; break; }
    }
  for (int i = 0; i < ROWS; i++) free(t[i]);
  free(t);
}

/* memory that only the device has, or the host, if none was opened yet */
static void addresses(int *a, int *want)
{
  int *d = acc_malloc(BIG * sizeof *d);
  for (int i = 0; i < BIG; i++) a[i] = i, want[i] = step(i + 1);
#pragma acc parallel loop deviceptr(d) copyin(a[0:BIG])
  for (int i = 0; i < BIG; i++) d[i] = a[i] + 1;
#pragma acc parallel loop deviceptr(d) copyout(a[0:BIG])
  for (int i = 0; i < BIG; i++) {
    int t = d[i];
    for (int k = 0; k < 99; k++) t = t * 3 + k % 5;
    a[i] = t + 1;
  }
  expect(!memcmp(a, want, BIG * sizeof *a), "addresses");
  acc_free(d);
}

int main(void)
{
  int *a = malloc(BIG * sizeof *a), *want = malloc(BIG * sizeof *want);
  addresses(a, want);
  for (int round = 0; round < 2; round++) {
    turns(0, a, want);
    turns(1, a, want);
    unstructured(a, want);
    created(a, want);
    rows();
    addresses(a, want);
  }
  puts(wrong ? "wrong" : "right");
  return wrong;
}
