/* A picture of a ball on a plane: rays go on by the distance to what is nearest. */
#include "everyday.h"

static float distance(float x, float y, float z)
{
  float ball = sqrtf(x * x + y * y + (z - 3) * (z - 3)) - 1;
  float ground = y + 1;
  return fminf(ball, ground);
}

static void render(int height, int width, float *picture)
{
#pragma acc parallel loop collapse(2)
#pragma omp parallel for collapse(2) schedule(dynamic, 64)
  for (int v = 0; v < height; v++)
    for (int u = 0; u < width; u++) {
      float dx = (u - 0.5f * width) / height, dy = (0.5f * height - v) / height, dz = 1;
      float length = sqrtf(dx * dx + dy * dy + dz * dz), t = 0;
      dx /= length;
      dy /= length;
      dz /= length;
      for (int k = 0; k < 100; k++) {
        float d = distance(t * dx, t * dy, t * dz);
        if (d < 1e-3f || t > 20)
          break;
        t += d;
      }
      picture[v * width + u] = t > 20 ? 0 : 1 / (1 + t);
    }
}

int main(int argc, char **argv)
{
  int height = argument(argc, argv, 1, 600), repeats = argument(argc, argv, 2, 3), width = height * 4 / 3;
  float *picture = allocate((size_t)height * width * sizeof *picture);
  struct stopwatch watch = {0};
  for (int r = 0; r < repeats; r++) {
    start(&watch);
    render(height, width, picture);
    stop(&watch);
  }
  double sum = 0;
  for (int i = 0; i < height * width; i++)
    sum += picture[i];
  float middle = picture[height / 2 * width + width / 2];
  require(height < 20 || fabsf(middle - 1.0f / 3) < 0.01f, "the ball is two away");
  result("light", sum);
  print_time(&watch);
  return 0;
}
