/* Cosine transforms of a picture's blocks of eight by eight, and back. */
#include "everyday.h"

#define N 8

static void transform(int blocks, const float (*in)[N][N], float (*out)[N][N], const float (*m)[N])
{
#pragma acc parallel loop
#pragma omp parallel for
  for (int b = 0; b < blocks; b++) {
    float t[N][N];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        float sum = 0;
        for (int k = 0; k < N; k++)
          sum += m[i][k] * in[b][k][j];
        t[i][j] = sum;
      }
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        float sum = 0;
        for (int k = 0; k < N; k++)
          sum += t[i][k] * m[j][k];
        out[b][i][j] = sum;
      }
  }
}

int main(int argc, char **argv)
{
  int blocks = argument(argc, argv, 1, 30000), repeats = argument(argc, argv, 2, 3);
  float(*in)[N][N] = allocate(blocks * sizeof *in), (*out)[N][N] = allocate(blocks * sizeof *out);
  float(*back)[N][N] = allocate(blocks * sizeof *back), m[N][N], inverse[N][N];
  unsigned state = SEED;
  for (int b = 0; b < blocks; b++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        in[b][i][j] = uniform(&state);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      inverse[j][i] = m[i][j] = sqrtf((i ? 2.0f : 1.0f) / N) * cosf(3.14159265f * (2 * j + 1) * i / (2 * N));
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    transform(blocks, (const float(*)[N][N])in, out, (const float(*)[N])m);
    transform(blocks, (const float(*)[N][N])out, back, (const float(*)[N])inverse);
    stop(&watch);
  }
  double energy = 0;
  for (int b = 0; b < blocks; b++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        require(fabsf(back[b][i][j] - in[b][i][j]) < 1e-5f, "the inverse gives the picture back");
        energy += out[b][i][j] * out[b][i][j];
      }
  result("energy", energy);
  print_time(&watch);
  return 0;
}
