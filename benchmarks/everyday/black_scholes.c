/* European options after Black and Scholes, the normal distribution by erf. */
#include "everyday.h"

static void price(int n, const float *spot, const float *strike, const float *years, float *call, float *put)
{
  const float rate = 0.02f, volatility = 0.3f;
#pragma acc parallel loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float root = volatility * sqrtf(years[i]);
    float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / root;
    float d2 = d1 - root;
    float n1 = 0.5f * (1 + erff(d1 * 0.70710678f)), n2 = 0.5f * (1 + erff(d2 * 0.70710678f));
    float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = spot[i] * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - spot[i] * (1 - n1);
  }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 2000000), repeats = argument(argc, argv, 2, 3);
  float *a[5];
  for (int k = 0; k < 5; k++)
    a[k] = allocate(n * sizeof *a[k]);
  unsigned state = SEED;
  for (int i = 0; i < n; i++) {
    a[0][i] = 5 + 25 * uniform(&state);
    a[1][i] = 1 + 99 * uniform(&state);
    a[2][i] = 0.25f + 9.75f * uniform(&state);
  }
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    price(n, a[0], a[1], a[2], a[3], a[4]);
    stop(&watch);
  }
  double calls = 0;
  for (int i = 0; i < n; i++) {
    float parity = a[0][i] - a[1][i] * expf(-0.02f * a[2][i]);
    require(fabsf(a[3][i] - a[4][i] - parity) < 1e-3f, "puts and calls are at parity");
    calls += a[3][i];
  }
  result("calls", calls);
  print_time(&watch);
  return 0;
}
