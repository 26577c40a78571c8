// Members of structs and channels of pixels that functions of vectors are computed from: loaded whole, shuffled, stored whole
// or one by one. Structs of two to eight members, of mixed types, with padding, with arrays and structs inside; some in place.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 52
#include <math.h>
#include <stdio.h>
#include <string.h>

struct three { float x, y, z; };
struct four { float x, y, z, w; };
struct option { double price, strike, years, rate, spread, value; };
struct mixed { float mass; int id; float x, y; };
struct array { float at[3]; float mass; };
struct padded { float a; double b; };
struct shared { double t; float a, b; };
struct nested { struct three at, to; };
struct eight { float v[8]; };

#define LOOP _Pragma("acc parallel loop") for (int i = 0; i < n; i++)
#define PLAIN for (int i = 0; i < n; i++)
#define BOTH(name, parameters, body) \
  static void name##_accelerated parameters { LOOP body } \
  static void name##_plain parameters { PLAIN body }

BOTH(copied, (int n, const struct three *restrict a, struct three *restrict b), {
  b[i].x = sqrtf(a[i].x);
  b[i].y = sqrtf(a[i].y);
  b[i].z = sqrtf(a[i].z);
})
BOTH(in_place, (int n, const struct three *restrict a, struct three *restrict b), {
  b[i].x = sqrtf(b[i].x) + a[i].x;
  b[i].y += sqrtf(b[i].z);
  b[i].z *= b[i].x;
})
BOTH(softmax, (int n, const struct four *restrict a, struct four *restrict b), {
  float s = expf(a[i].x) + a[i].y + expf(a[i].z) + a[i].w;
  b[i].x = a[i].x / s;
  b[i].y = a[i].y / s;
  b[i].z = a[i].z / s;
  b[i].w = a[i].w / s;
})
BOTH(one_member, (int n, const struct four *restrict a, struct four *restrict b), { b[i].w = sqrtf(a[i].x + a[i].z); })
BOTH(options, (int n, const struct option *restrict a, struct option *restrict b), {
  double d = (a[i].price / a[i].strike + (a[i].rate + a[i].spread * a[i].spread / 2) * a[i].years) / a[i].spread;
  b[i].value = a[i].price * sqrt(d) / 2 - a[i].strike * (a[i].rate * a[i].years);
})
BOTH(of_types, (int n, const struct mixed *restrict a, struct mixed *restrict b), {
  b[i].mass = sqrtf(a[i].x) + (float)a[i].id;
  b[i].id = a[i].id + 3;
  b[i].x = a[i].y;
  b[i].y = 1;
})
BOTH(arrays, (int n, const struct array *restrict a, float *restrict b), {
  b[i] = a[i].mass * expf(-a[i].at[0] * a[i].at[0] - a[i].at[2]);
})
BOTH(channels, (int n, const float *restrict a, float *restrict b), {
  b[3 * i] = sqrtf(a[3 * i]);
  b[3 * i + 1] = sqrtf(a[3 * i + 1]);
  b[3 * i + 2] = sqrtf(a[3 * i + 2]);
})
BOTH(pairs, (int n, const float *restrict a, float *restrict b), { b[i] = sqrtf(a[2 * i] * a[2 * i + 1]); })
BOTH(padding, (int n, const struct padded *restrict a, struct shared *restrict b), {
  b[i].t = sqrt(a[i].b) + a[i].a;
  b[i].a = 1;
  b[i].b = sqrtf(a[i].a);
})
BOTH(structs, (int n, const struct nested *restrict a, struct nested *restrict b), {
  b[i].to.x = sqrtf(a[i].at.x);
  b[i].to.y = sqrtf(a[i].at.y);
  b[i].to.z = sqrtf(a[i].at.z);
  b[i].at.x = b[i].at.y = b[i].at.z = a[i].to.y;
})
BOTH(perhaps, (int n, const struct three *restrict a, struct three *restrict b), {
  if (a[i].x > 0.5f)
    b[i].y = sqrtf(b[i].x);
  b[i].x = 1 - a[i + 1].x + sqrtf(a[i].z);
})
BOTH(all_of_eight, (int n, const struct eight *restrict a, struct eight *restrict b), {
  b[i].v[0] = sqrtf(a[i].v[7]);
  b[i].v[1] = a[i].v[6];
  b[i].v[2] = a[i].v[5];
  b[i].v[3] = a[i].v[4];
  b[i].v[4] = a[i].v[3];
  b[i].v[5] = a[i].v[2];
  b[i].v[6] = a[i].v[1];
  b[i].v[7] = a[i].v[0];
})

enum { MOST = 101, BYTES = 48 * (MOST + 1) };
static union { float f[BYTES / 4]; double d[BYTES / 8]; int i[BYTES / 4]; } from, to, expected;

static void fill(void)
{
  for (int k = 0; k < BYTES / 4; k++) {
    from.f[k] = (float)(k * 37 % 101 + 1) * 0.01f;
    to.f[k] = expected.f[k] = (float)(k * 23 % 89) * 0.01f;
  }
}

static int differ(int doubles)
{
  int found = 0;
  for (int k = 0; k < BYTES / 4; k++)
    if (doubles ? k % 2 == 0 && fabs(to.d[k / 2] - expected.d[k / 2]) > 1e-12 * fabs(expected.d[k / 2])
                : to.i[k] != expected.i[k] && !(fabsf(to.f[k] - expected.f[k]) <= 1e-5f * fabsf(expected.f[k])))
      found++;
  return found;
}

static const int sizes[] = {1, 17, 32, MOST};

#define TRY(name, type, result, doubles) \
  { \
    int wrong = 0; \
    for (int k = 0; k < 4; k++) { \
      fill(); \
      if (doubles) \
        for (int j = 0; j < BYTES / 8; j++) \
          from.d[j] = 0.1 + j * 37 % 101 * 0.01, to.d[j] = expected.d[j] = 0; \
      name##_accelerated(sizes[k], (const type *)(const void *)&from, (result *)(void *)&to); \
      name##_plain(sizes[k], (const type *)(const void *)&from, (result *)(void *)&expected); \
      wrong += differ(doubles); \
    } \
    printf("%d%s", wrong, #name[0] == 'a' && #name[1] == 'l' ? "\n" : " "); \
  }

int main(void)
{
  TRY(copied, struct three, struct three, 0)
  TRY(in_place, struct three, struct three, 0)
  TRY(softmax, struct four, struct four, 0)
  TRY(one_member, struct four, struct four, 0)
  TRY(options, struct option, struct option, 1)
  TRY(of_types, struct mixed, struct mixed, 0)
  TRY(arrays, struct array, float, 0)
  TRY(channels, float, float, 0)
  TRY(pairs, float, float, 0)
  TRY(padding, struct padded, struct shared, 0)
  TRY(structs, struct nested, struct nested, 0)
  TRY(perhaps, struct three, struct three, 0)
  TRY(all_of_eight, struct eight, struct eight, 0)
  return 0;
}
