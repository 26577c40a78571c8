/* The same work in the forms in which people write it: each result is compared with the plain form's, and timed.

     gcc -O3 -march=native benchmarks/forms.c -o forms && ./forms
     accshare-cc -O3 -march=native benchmarks/forms.c -o forms && ./forms

   prints the fewest microseconds of each form. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 512, WIDE = 1024, BLOCK = 64, REPEATS = 9 };
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define TYPED_MAX(a, b)                                                                                                \
  ({                                                                                                                   \
    __typeof__(a) _a = (a);                                                                                            \
    __typeof__(b) _b = (b);                                                                                            \
    _a > _b ? _a : _b;                                                                                                 \
  })

/* --- a product of matrices ----------------------------------------------------------------------------------------- */

static void product(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

static void product_in_blocks(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] = 0;
    for (int ii = 0; ii < n; ii += BLOCK)
      for (int jj = 0; jj < n; jj += BLOCK)
        for (int kk = 0; kk < n; kk += BLOCK)
          for (int i = ii; i < MIN(ii + BLOCK, n); i++)
            for (int j = jj; j < MIN(jj + BLOCK, n); j++)
              for (int k = kk; k < MIN(kk + BLOCK, n); k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

/* blocks that are always whole, each with sums of its own */
static void product_in_tiles(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop
  for (int ii = 0; ii < n; ii += 8)
    for (int j = 0; j < n; j++) {
      float sum[8];
      for (int r = 0; r < 8; r++)
        sum[r] = 0;
      for (int k = 0; k < n; k++) {
        float shared = b[k * n + j];
        for (int r = 0; r < 8; r++)
          sum[r] += a[(ii + r) * n + k] * shared;
      }
      for (int r = 0; r < 8; r++)
        c[(ii + r) * n + j] = sum[r];
    }
}

static void product_unrolled(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j += 4) {
      float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (int k = 0; k < n; k++) {
        float shared = a[i * n + k];
        s0 += shared * b[k * n + j];
        s1 += shared * b[k * n + j + 1];
        s2 += shared * b[k * n + j + 2];
        s3 += shared * b[k * n + j + 3];
      }
      c[i * n + j] = s0;
      c[i * n + j + 1] = s1;
      c[i * n + j + 2] = s2;
      c[i * n + j + 3] = s3;
    }
}

static void product_by_elements(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop
  for (int t = 0; t < n * n; t++) {
    int i = t / n, j = t % n;
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[i * n + k] * b[k * n + j];
    c[t] = sum;
  }
}

static void product_by_pointers(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float *row = a + i * n, *column = b + j;
      float sum = 0;
      for (int k = 0; k < n; k++) {
        sum += *row++ * *column;
        column += n;
      }
      c[i * n + j] = sum;
    }
}

/* --- means of four neighbours, and the border as it was ------------------------------------------------------------- */

static void means(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) {
      b[i * n] = a[i * n];
      b[i * n + n - 1] = a[i * n + n - 1];
    }
    for (int j = 0; j < n; j++) {
      b[j] = a[j];
      b[(n - 1) * n + j] = a[(n - 1) * n + j];
    }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
  }
}

static void means_under_a_condition(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        b[i * n + j] = 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
      else
        b[i * n + j] = a[i * n + j];
    }
}

static void means_in_tiles(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc kernels
  {
    for (int t = 0; t < n * n; t++)
      b[t] = a[t];
    for (int ii = 1; ii < n - 1; ii += 32)
      for (int jj = 1; jj < n - 1; jj += 32)
        for (int i = ii; i < ii + 32 && i < n - 1; i++)
          for (int j = jj; j < jj + 32 && j < n - 1; j++)
            b[i * n + j] = 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
  }
}

/* --- a transposition ------------------------------------------------------------------------------------------------ */

static void turned(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc kernels
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j * n + i] = a[i * n + j];
}

static void turned_in_tiles(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc parallel loop collapse(2)
  for (int ii = 0; ii < n; ii += 32)
    for (int jj = 0; jj < n; jj += 32)
      for (int i = ii; i < ii + 32 && i < n; i++)
        for (int j = jj; j < jj + 32 && j < n; j++)
          b[j * n + i] = a[i * n + j];
}

static void turned_by_elements(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc kernels
  for (int t = 0; t < n * n; t++)
    b[t % n * n + t / n] = a[t];
}

/* --- means of three in a row ---------------------------------------------------------------------------------------- */

static void row(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc kernels
  for (int t = 0; t < n * n - 2; t++)
    b[t] = (a[t] + a[t + 1] + a[t + 2]) / 3;
}

static void row_by_kept_values(int n, const float *restrict a, const float *unused, float *restrict b)
{
  float first = a[0], second = a[1];
  (void)unused;
#pragma acc kernels
  for (int t = 0; t < n * n - 2; t++) {
    float third = a[t + 2];
    b[t] = (first + second + third) / 3;
    first = second;
    second = third;
  }
}

static void row_by_pointers(int n, const float *restrict a, const float *unused, float *restrict b)
{
  const float *end = a + n * n - 2;
  (void)unused;
#pragma acc kernels
  while (a < end) {
    *b++ = (a[0] + a[1] + a[2]) / 3;
    a++;
  }
}

static void row_from_behind(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
#pragma acc kernels
  for (int t = n * n - 3; t >= 0; t--)
    b[t] = (a[t] + a[t + 1] + a[t + 2]) / 3;
}

static void row_asked_behind(int n, const float *restrict a, const float *unused, float *restrict b)
{
  int left = n * n - 2;
  (void)unused;
#pragma acc kernels
  do {
    *b++ = (a[0] + a[1] + a[2]) / 3;
    a++;
  } while (--left > 0);
}

/* --- twenty steps in time -------------------------------------------------------------------------------------------- */

static float other[WIDE * WIDE];

#define STEP(to, from)                                                                                                 \
  for (int i = 1; i < n - 1; i++)                                                                                      \
    for (int j = 1; j < n - 1; j++)                                                                                    \
      to[i * n + j] =                                                                                                  \
        0.25f * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);

static void steps(int n, const float *restrict a, const float *unused, float *restrict b)
{
  (void)unused;
  memcpy(b, a, sizeof other);
  memcpy(other, a, sizeof other);
#pragma acc kernels
  for (int t = 0; t < 10; t++) {
    STEP(other, b)
    STEP(b, other)
  }
}

static void steps_by_changing_places(int n, const float *restrict a, const float *unused, float *restrict b)
{
  float *now = b, *next = other;
  (void)unused;
  memcpy(b, a, sizeof other);
  memcpy(other, a, sizeof other);
#pragma acc kernels
  for (int t = 0; t < 20; t++) {
    STEP(next, now)
    float *kept = now;
    now = next;
    next = kept;
  }
}

/* --- where the greatest is ------------------------------------------------------------------------------------------- */

static void greatest(int n, const float *restrict a, const float *unused, float *restrict b)
{
  float best = a[0];
  int at = 0;
  (void)unused;
#pragma acc kernels
  for (int t = 1; t < n * n; t++)
    if (a[t] > best) {
      best = a[t];
      at = t;
    }
  b[0] = at;
}

static void greatest_by_its_place(int n, const float *restrict a, const float *unused, float *restrict b)
{
  int at = 0;
  (void)unused;
#pragma acc kernels
  for (int t = 1; t < n * n; t++)
    if (a[t] > a[at])
      at = t;
  b[0] = at;
}

/* --- the largest change ---------------------------------------------------------------------------------------------- */

static void change(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
  float most = 0;
#pragma acc kernels
  for (int t = 0; t < n * n; t++)
    if (fabsf(a[t] - b[t]) > most)
      most = fabsf(a[t] - b[t]);
  c[0] = most;
}

static void change_by_a_macro(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
  float most = 0;
#pragma acc kernels
  for (int t = 0; t < n * n; t++)
    most = MAX(most, fabsf(a[t] - b[t]));
  c[0] = most;
}

static void change_by_a_typed_macro(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
  float most = 0;
#pragma acc kernels
  for (int t = 0; t < n * n; t++)
    most = TYPED_MAX(most, fabsf(a[t] - b[t]));
  c[0] = most;
}

/* --- how often there is what ----------------------------------------------------------------------------------------- */

static void counts(int n, const float *restrict a, const float *unused, float *restrict b)
{
  int found[16] = {0};
  (void)unused;
#pragma acc parallel loop
  for (int t = 0; t < n * n; t++) {
#pragma acc atomic update
    found[((int)a[t] + 5) & 15]++;
  }
  for (int k = 0; k < 16; k++)
    b[k] = found[k];
}

static void counts_unasked(int n, const float *restrict a, const float *unused, float *restrict b)
{
  int found[16] = {0};
  (void)unused;
#pragma acc kernels
  for (int t = 0; t < n * n; t++)
    found[((int)a[t] + 5) & 15]++;
  for (int k = 0; k < 16; k++)
    b[k] = found[k];
}

/* -------------------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  int size, first; /* the plain form is the first of its kind */
  void (*run)(int n, const float *restrict a, const float *restrict b, float *restrict c);
} FORMS[] = {
  {"product, plain", N, 1, product},
  {"  in blocks", N, 0, product_in_blocks},
  {"  in tiles of eight rows", N, 0, product_in_tiles},
  {"  unrolled by four", N, 0, product_unrolled},
  {"  one loop over all elements", N, 0, product_by_elements},
  {"  by pointers that walk", N, 0, product_by_pointers},
  {"means, plain", WIDE, 1, means},
  {"  under a condition", WIDE, 0, means_under_a_condition},
  {"  in tiles, and a copy", WIDE, 0, means_in_tiles},
  {"transposition, plain", WIDE, 1, turned},
  {"  in tiles", WIDE, 0, turned_in_tiles},
  {"  one loop over all elements", WIDE, 0, turned_by_elements},
  {"means of three, plain", WIDE, 1, row},
  {"  by values that are kept", WIDE, 0, row_by_kept_values},
  {"  by pointers up to an end", WIDE, 0, row_by_pointers},
  {"  counting down", WIDE, 0, row_from_behind},
  {"  asking behind", WIDE, 0, row_asked_behind},
  {"twenty steps, plain", WIDE, 1, steps},
  {"  by arrays that change places", WIDE, 0, steps_by_changing_places},
  {"place of the greatest, plain", WIDE, 1, greatest},
  {"  by its place alone", WIDE, 0, greatest_by_its_place},
  {"largest change, plain", WIDE, 1, change},
  {"  by a macro", WIDE, 0, change_by_a_macro},
  {"  by a macro with types", WIDE, 0, change_by_a_typed_macro},
  {"counts, atomic", WIDE, 1, counts},
  {"  without a word", WIDE, 0, counts_unasked},
};

static double now(void)
{
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

int main(void)
{
  size_t bytes = sizeof(float) * WIDE * WIDE;
  float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes), *plain = malloc(bytes);
  if (!a || !b || !c || !plain)
    return 1;
  for (int k = 0; k < WIDE * WIDE; k++) {
    a[k] = k * 7 % 11 - 5;
    b[k] = k * 5 % 13 - 6;
  }
  for (size_t form = 0; form < sizeof FORMS / sizeof *FORMS; form++) {
    double least = 1e30;
    for (int r = 0; r < REPEATS; r++) {
      memset(c, 0, bytes);
      double begun = now();
      FORMS[form].run(FORMS[form].size, a, b, c);
      least = MIN(least, now() - begun);
    }
    if (FORMS[form].first)
      memcpy(plain, c, bytes);
    printf("%-30s %10.1f%s\n", FORMS[form].name, least, memcmp(plain, c, bytes) ? "  WRONG" : "");
  }
  return 0;
}
