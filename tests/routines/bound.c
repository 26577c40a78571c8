/* On devices, the functions that a routine directive names in bind take the place of others. */
#include "check.h"

float device_next(float x) { return x + 2; }
#pragma acc routine seq bind(device_next)
static float next(float x) { return x + 1; }

void store_on_device(int *at, int value) { *at = -value; }
#pragma acc routine(store) seq bind("store_on_device")
void store(int *at, int value);

/* has a body, and is bound to a function of the C library */
#pragma acc routine seq bind(fabsf)
float magnitude(float x);
float fabsf(float);

int main(void)
{
  float a[100];
  int b[100], here = is("host");
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 100; i++)
    a[i] = next((float)i) + magnitude(-1.0f);
  CHECK(a[7] == (here ? 9 : 10));
#pragma acc parallel loop copyout(b)
  for (int i = 0; i < 100; i++) {
    int t, *p = &t;
    store(p, i);
    b[i] = t;
  }
  CHECK(b[7] == (here ? 7 : -7));
  return failures != 0;
}

float magnitude(float x) { return x < 0 ? -x : x; }
void store(int *at, int value) { *at = value; }
