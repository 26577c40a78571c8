/* Conway's game of life on a torus, a byte a cell. */
#include "everyday.h"

static void generation(int n, const unsigned char *now, unsigned char *next)
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int y = 0; y < n; y++) {
    int up = (y + n - 1) % n, down = (y + 1) % n;
    for (int x = 0; x < n; x++) {
      int left = (x + n - 1) % n, right = (x + 1) % n;
      int around = now[up * n + left] + now[up * n + x] + now[up * n + right] + now[y * n + left] + now[y * n + right] +
                   now[down * n + left] + now[down * n + x] + now[down * n + right];
      next[y * n + x] = around == 3 || (around == 2 && now[y * n + x]);
    }
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1000), repeats = argument(argc, argv, 2, 3), steps = 20;
  unsigned char *now = allocate(n * n), *next = allocate(n * n);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    unsigned state = SEED;
    for (int i = 0; i < n * n; i++)
      now[i] = i % n < n / 2 && uniform(&state) < 0.3f;
    if (n >= 100)
      for (int k = 0; k < 3; k++) /* far from the rest, a row of three turns round and round */
        now[50 * n + 3 * n / 4 + k] = 1;
    start(&watch);
    for (int t = 0; t < steps; t += 2) {
      generation(n, now, next);
      generation(n, next, now);
    }
    stop(&watch);
  }
  long alive = 0;
  for (int i = 0; i < n * n; i++)
    alive += now[i];
  require(n < 100 || (now[50 * n + 3 * n / 4 + 2] && !now[51 * n + 3 * n / 4 + 1]), "a blinker blinks");
  result("alive", (double)alive);
  print_time(&watch);
  return 0;
}
