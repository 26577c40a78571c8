/* A layer of a neural network: pictures of several channels convolved with 3x3 weights for each pair of an output and an input channel.
 *
 *   convolution [pictures [outputs [height [width [inputs [repeats]]]]]]      (the layer of MDH: 1 512 7 7 512)
 */
#include "program.h"

static void convolve(int n, int k, int h, int w, int c, real in[n][c][h + 2][w + 2], real weight[k][c][3][3],
                     real out[n][k][h][w])
{
#pragma acc kernels loop copyin(in[0:n][0:c][0:h + 2][0:w + 2], weight[0:k][0:c][0:3][0:3]) \
    copyout(out[0:n][0:k][0:h][0:w])
  for (int picture = 0; picture < n; picture++)
    for (int output = 0; output < k; output++)
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
          real sum = 0;
          for (int input = 0; input < c; input++)
            for (int v = 0; v < 3; v++)
              for (int u = 0; u < 3; u++)
                sum += in[picture][input][y + v][x + u] * weight[output][input][v][u];
          out[picture][output][y][x] = sum;
        }
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1), k = argument(argc, argv, 2, 64);
  int h = argument(argc, argv, 3, 7), w = argument(argc, argv, 4, h), c = argument(argc, argv, 5, k);
  int repeats = argument(argc, argv, 6, 1);
  size_t ins = (size_t)n * c * (h + 2) * (w + 2), weights = (size_t)k * c * 9, outs = (size_t)n * k * h * w;
  real *in = vector(ins), *weight = vector(weights), *out = vector(outs);
  fill(ins, in, -2, 2, 1);
  fill(weights, weight, -2, 2, 2);

  struct stopwatch watch = {0};
  while (again(&watch, repeats)) {
    start(&watch);
    convolve(n, k, h, w, c, (real(*)[c][h + 2][w + 2])in, (real(*)[c][3][3])weight, (real(*)[k][h][w])out);
    stop(&watch);
  }

  print_checksum(out, outs * sizeof(real));
  print_time(&watch);
  return 0;
}
