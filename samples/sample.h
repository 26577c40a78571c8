/* What every sample needs around its science: sizes from the command line, a stopwatch, a checksum.
 *
 * Include it first: it asks for POSIX clocks, which -std=c99 alone does not declare.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#define _POSIX_C_SOURCE 200809L

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The index-th argument as a positive int, `otherwise` where it isn't given; ends the program on anything else. */
static inline int argument(int argc, char **argv, int index, int otherwise)
{
  if (index >= argc)
    return otherwise;
  char *end;
  long value = strtol(argv[index], &end, 10);
  if (*end != '\0' || value < 1 || value > INT_MAX) {
    fprintf(stderr, "%s: \"%s\" is not a positive whole number\n", argv[0], argv[index]);
    exit(2);
  }
  return (int)value;
}

/* malloc that ends the program when there is no memory. */
static inline void *allocate(size_t bytes)
{
  void *memory = malloc(bytes);
  if (memory == NULL) {
    fprintf(stderr, "out of memory: %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static inline double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What several runs take together is known better than what the clock says of one that is over in a few of its ticks. */
#define LONG_ENOUGH 1e-5

/* Times repeated runs. On a device the first one also builds the kernels. `best` is the fastest run, or the mean of those
 * runs in a row that took LONG_ENOUGH and were the fastest. */
struct stopwatch {
  double started, first, best;
  int runs;
  double row; /* seconds of the runs in a row that are not in `best` yet */
  int in_row;
};

static inline void start(struct stopwatch *watch) { watch->started = seconds(); }

static inline void stop(struct stopwatch *watch)
{
  double elapsed = seconds() - watch->started;
  if (watch->runs++ == 0) {
    watch->first = watch->best = elapsed;
    return;
  }
  watch->row += elapsed;
  watch->in_row++;
  if (watch->row < LONG_ENOUGH)
    return;
  if (watch->row < watch->best * watch->in_row)
    watch->best = watch->row / watch->in_row;
  watch->row = 0.0;
  watch->in_row = 0;
}

/* Goes to stderr, so that two builds of a program print the same on stdout. */
static inline void print_time(const struct stopwatch *watch)
{
  double best = watch->best;
  if (watch->in_row == watch->runs - 1 && watch->row < best * watch->in_row)
    best = watch->row / watch->in_row; /* too short for a row, all together */
  fprintf(stderr, "time first=%.9g best=%.9g\n", watch->first, best);
}

/* Prints a hash (FNV-1a) of the result's bytes: equal only if every bit is. */
static inline void print_checksum(const void *data, size_t bytes)
{
  const unsigned char *byte = data;
  unsigned long long hash = 14695981039346656037ULL;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ byte[i]) * 1099511628211ULL;
  printf("checksum %016llx\n", hash);
}

#endif
