/* What a machine can do at most with all its threads: memory traffic by how much memory is used over and over, and
 * arithmetic.
 *
 *   gcc -std=gnu99 -O3 -march=native -fopenmp roofline.c -o roofline && ./roofline [seconds]
 *
 * A figure stands when it has not been bettered for some seconds (0.3). Prints, a line each,
 *   bandwidth KIB READ TRIAD     bytes a second, reading one array, and reading two and writing one
 *   peak float F                 operations a second, a multiplication fused with an addition counted as two
 *   peak double F
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_KIB 64
#define MAX_KIB (256 * 1024)
/* Bytes that a try moves at least. */
#define ENOUGH ((size_t)16 << 20)

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
typedef double vector __attribute__((vector_size(WIDTH)));

static volatile double sink;

/* Seconds without a faster try after which a figure stands. */
static double patience = 0.3;

/* The fastest of many tries. */
struct record {
  double rate, since;
};

static int beatable(const struct record *record) { return record->rate == 0 || omp_get_wtime() - record->since < patience; }

static void note(struct record *record, double rate)
{
  if (rate > 1.001 * record->rate)
    *record = (struct record){rate, omp_get_wtime()};
}

/* Keeps the compiler from doing only once what is repeated. */
#define REPEAT() __asm__ volatile("" ::: "memory")

static void read_all(size_t n, const vector *a, size_t rounds)
{
  vector sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
  for (size_t round = 0; round < rounds; round++) {
    REPEAT();
    for (size_t i = 0; i + 4 <= n; i += 4) {
      sum0 += a[i];
      sum1 += a[i + 1];
      sum2 += a[i + 2];
      sum3 += a[i + 3];
    }
  }
  sink = (sum0 + sum1 + sum2 + sum3)[0];
}

static void triad(size_t n, vector *a, const vector *b, const vector *c, size_t rounds)
{
  for (size_t round = 0; round < rounds; round++) {
    REPEAT();
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++)
      a[i] = b[i] + 0.5 * c[i];
  }
}

/* In bytes a second: each thread works on its part of `kib` KiB. */
static double bandwidth(size_t kib, char *memory, int writing)
{
  size_t rounds = ENOUGH / (kib * 1024) + 1;
  struct record best = {0};
  while (beatable(&best)) {
    size_t moved = 0;
    double begin = omp_get_wtime();
#pragma omp parallel reduction(+ : moved)
    {
      size_t n = kib * 1024 / sizeof(vector) / (size_t)omp_get_num_threads(), third = n / 3;
      vector *part = (vector *)memory + n * (size_t)omp_get_thread_num();
      if (writing)
        triad(third, part, part + third, part + 2 * third, rounds);
      else
        read_all(n, part, rounds);
      moved = (writing ? 3 * third : n / 4 * 4) * sizeof(vector) * rounds;
    }
    note(&best, (double)moved / (omp_get_wtime() - begin));
  }
  return best.rate;
}

/* Twelve different chains of additions: enough to hide the latency of two units of four or five cycles. */
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define BEGIN(i) chain##i = zero + i,
#define STEP(i) chain##i = chain##i * factor + term;
#define END(i) +chain##i
#define PEAK(type)                                                                                                     \
  typedef type type##_vector __attribute__((vector_size(WIDTH)));                                                      \
  static double peak_##type(void)                                                                                      \
  {                                                                                                                    \
    enum { STEPS = 1 << 16, CHAINS = 12, LANES = WIDTH / sizeof(type) };                                               \
    struct record best = {0};                                                                                          \
    while (beatable(&best)) {                                                                                          \
      int threads = 0;                                                                                                 \
      double begin = omp_get_wtime();                                                                                        \
      _Pragma("omp parallel reduction(+ : threads)")                                                                   \
      {                                                                                                                \
        type##_vector zero = {0}, EACH(BEGIN) factor = zero + (type)0.5, term = zero + (type)1;                        \
        for (int step = 0; step < STEPS; step++) {                                                                     \
          EACH(STEP)                                                                                                   \
        }                                                                                                              \
        sink = (double)(EACH(END))[0];                                                                                 \
        threads = 1;                                                                                                   \
      }                                                                                                                \
      note(&best, 2.0 * STEPS * CHAINS * LANES * threads / (omp_get_wtime() - begin));                                       \
    }                                                                                                                  \
    return best.rate;                                                                                                  \
  }

PEAK(float)
PEAK(double)

int main(int argc, char **argv)
{
  if (argc > 1)
    patience = atof(argv[1]);
  char *memory = malloc((size_t)MAX_KIB * 1024 + WIDTH);
  if (memory == NULL) {
    fprintf(stderr, "out of memory\n");
    return 1;
  }
  memory += WIDTH - (size_t)memory % WIDTH;
  memset(memory, 0, (size_t)MAX_KIB * 1024);
  for (size_t kib = MIN_KIB; kib <= MAX_KIB; kib *= 2)
    printf("bandwidth %zu %.4g %.4g\n", kib, bandwidth(kib, memory, 0), bandwidth(kib, memory, 1));
  printf("peak float %.4g\n", peak_float());
  printf("peak double %.4g\n", peak_double());
  return 0;
}
