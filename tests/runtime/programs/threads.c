/* threads COUNT TIMES: host threads run regions at once: on their own rows of one array, on the whole array, reading one. */
#include "support.h"

#include <pthread.h>

enum { N = 96, MAX_THREADS = 16 };

static float shared_x[N], rows[MAX_THREADS][N], total[N];
static int times, device_runs;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
  float *row = argument;
  int ran = 0;
  for (int t = 0; t < times; t++) {
    ran += axpy(1, shared_x, row, 0, N);
    ran += axpy(1, shared_x, row, t % 7, N / 2);
    pthread_mutex_lock(&counting); /* the program's own order on what all threads write */
    ran += axpy(1, shared_x, total, 0, N);
    pthread_mutex_unlock(&counting);
  }
  pthread_mutex_lock(&counting);
  device_runs += ran;
  pthread_mutex_unlock(&counting);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int threads = atoi(argv[1]), wrong = 0;
  times = atoi(argv[2]);
  fill(shared_x, N, 1, 0);
  pthread_t ids[MAX_THREADS];
  for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, rows[i]);
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < N; i++) {
    float expected = (float)times;
    for (int t = 0; t < times; t++) expected += t % 7 <= i && i < t % 7 + N / 2;
    for (int k = 0; k < threads; k++) wrong += rows[k][i] != expected;
    wrong += total[i] != (float)(threads * times);
  }
  printf("device=%d wrong=%d\n", device_runs, wrong);
  return 0;
}
