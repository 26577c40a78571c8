/* Edges of a colour picture: grey values, then the two gradients after Sobel. */
#include "everyday.h"

static void edges(int height, int width, const unsigned char *restrict rgb, unsigned char *restrict grey, unsigned char *restrict edge)
{
#pragma acc data copyin(rgb[0 : 3 * height * width]) create(grey[0 : height * width]) copy(edge[0 : height * width])
  {
#pragma acc parallel loop
#pragma omp parallel for
    for (int i = 0; i < height * width; i++)
      grey[i] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
#pragma acc parallel loop collapse(2)
#pragma omp parallel for
    for (int y = 1; y < height - 1; y++)
      for (int x = 1; x < width - 1; x++) {
        const unsigned char *p = grey + y * width + x;
        int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
        int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
        int sum = abs(gx) + abs(gy);
        edge[y * width + x] = sum > 255 ? 255 : (unsigned char)sum;
      }
  }
}

int main(int argc, char **argv)
{
  int height = argument(argc, argv, 1, 2000), repeats = argument(argc, argv, 2, 3), width = height + 5;
  size_t pixels = (size_t)height * width;
  unsigned char *rgb = allocate(3 * pixels), *grey = allocate(pixels), *edge = allocate(pixels);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        rgb[3 * (y * width + x) + c] = (unsigned char)((x / 16 + y / 16) % 2 ? 200 - 20 * c : 10 + x % 8);
  memset(edge, 0, pixels);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    edges(height, width, rgb, grey, edge);
    stop(&watch);
  }
  double sum = 0;
  for (size_t i = 0; i < pixels; i++)
    sum += edge[i];
  require(height < 40 || edge[8 * width + 16] == 255, "there is an edge between two squares");
  result("edges", sum);
  print_time(&watch);
  return 0;
}
