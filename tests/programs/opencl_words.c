// Structs, their members, arrays, scalars and functions that are called like words or functions of OpenCL C.
// prints: 200650 2875
// launches: 1
#include <stdio.h>
struct half { int half, half_; float kernel[2]; double global; };
static float half(float x) { return x / 2; }
static int lane(int k) { return k + 1; }
static int past(int k, int d, int e) { return k * d + e; }
static int floord(int a, int b) { return a - b; }
static int min(int a, int b) { return 10 * a + b; }
static int vector(int local) { return 3 * local; }
static int select(int a, int b, int c) { return c ? a : b; }
static int get_group_id(int d) { return d + 7; }
static int is_aligned(int a, int b) { return a * b; }
void work(int n, struct half *restrict kernel, float *restrict image2d_t, int *restrict out, int global, int local) {
#pragma acc parallel loop copy(kernel[0:n]) copyin(image2d_t[0:n]) copyout(out[0:n])
  for (int i = 0; i < n; i++) {
    int constant = lane(i) + past(i, 2, global) + floord(i, local) + min(i, 3) + vector(i) + select(i, 4, i % 2) + get_group_id(1) + is_aligned(i, 2);
    float half4 = half(image2d_t[i]);
    kernel[i].half += constant;
    kernel[i].kernel[1] += half4;
    kernel[i].global += 1;
    kernel[i].half_ = 0;
    out[i] = constant;
  }
}
int main(void) {
  enum { N = 100 };
  struct half c[N]; float f[N]; int o[N];
  for (int i = 0; i < N; i++) { c[i].half = i; c[i].kernel[1] = 1; c[i].global = 2; f[i] = i; }
  work(N, c, f, o, 5, 6);
  long s = 0; double d = 0;
  for (int i = 0; i < N; i++) { s += o[i] + c[i].half; d += c[i].kernel[1] + c[i].global; }
  printf("%ld %g\n", s, d);
}
