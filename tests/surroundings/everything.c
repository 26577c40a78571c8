/* everything [KiB]: regions of several kinds, in the first thread or in one with so small a stack; prints "right". */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 20000 };
static float x[N], y[N];
static signed char c[N];
static int v[N];

static void scale(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
  for (int i = 0; i < n; i++) b[i] = 2 * a[i] + b[i];
}

static int total(int n, const int *a)
{
  int sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(a[0:n])
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}

/* What a compiler warns of. */
static void narrow(int n, signed char *a)
{
#pragma acc parallel loop copyout(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 300;
}

static int wrong(void)
{
  int errors = 0;
  for (int i = 0; i < N; i++) {
    x[i] = (float)(i % 17);
    y[i] = (float)(i % 5);
    v[i] = i % 3;
  }
#pragma acc data copyin(x) copy(y)
  for (int k = 0; k < 3; k++) scale(N, x, y);
  narrow(N, c);
  for (int i = 0; i < N; i++) errors += y[i] != 6 * (i % 17) + i % 5 || c[i] != 44;
  return errors + (total(N, v) != 19999);
}

static void *work(void *errors)
{
  *(int *)errors = wrong();
  return errors;
}

static int in_thread(size_t kib)
{
  pthread_attr_t attributes;
  pthread_t thread;
  int errors = 0;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, kib << 10) || pthread_create(&thread, &attributes, work, &errors)) return -1;
  pthread_join(thread, NULL);
  return errors;
}

static int in_child(void)
{
  int status = 0;
  pid_t child = fork();
  if (!child) exit(wrong() != 0);
  return waitpid(child, &status, 0) != child || status;
}

int main(int count, char **words)
{
  int errors = 0;
  const char *word = count > 1 ? words[1] : "";
  if (!strcmp(word, "fork")) errors = in_child();
  errors += atoi(word) ? in_thread((size_t)atoi(word)) : wrong();
  if (!strcmp(word, "fork")) errors += in_child();
  if (!strcmp(word, "killed")) raise(9);
  puts(errors ? "wrong" : "right");
  return errors != 0;
}
