// Scalars that hold an element while loops inside use it: they keep what it was where it changes, or was converted.
// prints: 0 0 0 0 0 0 0 0
// launches: 9
#include <stdio.h>
#include <string.h>

enum { N = 67 };
static float x[N][N], y[N][N], w[N][N];
static int counts[N][N], kept[N][N], places[N];

static void product(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++)
    for (int o = 0; o < n; o++) {
      float d = x[t][o];
      for (int i = 0; i < n; i++)
        y[t][i] += w[o][i] * d;
    }
}

static void changed_inside(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++)
    for (int o = 0; o < n; o++) {
      float d = x[t][o];
      for (int i = 0; i < n; i++)
        x[t][i] = x[t][i] / 2 + d;
    }
}

static void changed_behind_its_use(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++) {
    float d = x[t][1];
    for (int i = 0; i < n; i++) {
      y[t][i] = d + i;
      x[t][1] = y[t][i] * 3;
    }
  }
}

static void converted(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++) {
    int d = (signed char)counts[t][0];
    for (int i = 0; i < n; i++)
      kept[t][i] += d * i;
  }
}

static void found_by_it(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++) {
    int p = places[t];
    for (int i = 0; i < n; i++)
      kept[t][i] -= counts[p][i] + p;
  }
}

static void set_twice(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++) {
    float d = w[t][0];
    for (int i = 0; i < n; i++)
      y[t][i] -= d;
    d = w[t][1];
    for (int i = 0; i < n; i++)
      y[t][i] *= d;
  }
}

static void set_again_inside(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++) {
    float d = x[t][0];
    for (int i = 0; i < n; i++) {
      y[t][i] += d;
      d = w[t][i];
    }
  }
}

static void changed_behind_its_loop(int n)
{
#pragma acc kernels
  for (int t = 0; t < n; t++) {
    for (int o = 0; o < n; o++) {
      float d = x[t][o];
      for (int i = 0; i < n; i++)
        y[t][i] += w[o][i] * d;
    }
    x[t][0] = 3;
  }
}

static float x_[N][N], y_[N][N];
static int kept_[N][N];

static int differ(void)
{
  return (memcmp(x, x_, sizeof x) || memcmp(y, y_, sizeof y) || memcmp(kept, kept_, sizeof kept)) != 0;
}

int main(void)
{
  int wrong[8];

  for (int i = 0; i < N; i++) {
    places[i] = i * 7 % N;
    for (int j = 0; j < N; j++) {
      x_[i][j] = x[i][j] = (float)(i * j % 17) / 8;
      w[i][j] = (float)((i + 3 * j) % 13) / 4;
      counts[i][j] = i * 1001 + j;
    }
  }
  product(N);
  for (int t = 0; t < N; t++)
    for (int o = 0; o < N; o++)
      for (int i = 0; i < N; i++)
        y_[t][i] += w[o][i] * x_[t][o];
  wrong[0] = differ();
  changed_inside(3);
  for (int t = 0; t < 3; t++)
    for (int o = 0; o < 3; o++) {
      volatile float d = x_[t][o];
      for (int i = 0; i < 3; i++)
        x_[t][i] = x_[t][i] / 2 + d;
    }
  wrong[1] = differ();
  changed_behind_its_use(N);
  for (int t = 0; t < N; t++) {
    volatile float d = x_[t][1];
    for (int i = 0; i < N; i++) {
      y_[t][i] = d + i;
      x_[t][1] = y_[t][i] * 3;
    }
  }
  wrong[2] = differ();
  converted(N);
  for (int t = 0; t < N; t++)
    for (int i = 0; i < N; i++)
      kept_[t][i] += (signed char)counts[t][0] * i;
  wrong[3] = differ();
  found_by_it(N);
  for (int t = 0; t < N; t++)
    for (int i = 0; i < N; i++)
      kept_[t][i] -= counts[places[t]][i] + places[t];
  wrong[4] = differ();
  set_twice(N);
  for (int t = 0; t < N; t++)
    for (int i = 0; i < N; i++)
      y_[t][i] = (y_[t][i] - w[t][0]) * w[t][1];
  wrong[5] = differ();
  set_again_inside(N);
  for (int t = 0; t < N; t++)
    for (int i = 0; i < N; i++)
      y_[t][i] += i ? w[t][i - 1] : x_[t][0];
  wrong[6] = differ();
  changed_behind_its_loop(N);
  for (int t = 0; t < N; t++) {
    for (int o = 0; o < N; o++)
      for (int i = 0; i < N; i++)
        y_[t][i] += w[o][i] * x_[t][o];
    x_[t][0] = 3;
  }
  wrong[7] = differ();
  for (int k = 0; k < 8; k++)
    printf("%d%c", wrong[k], k < 7 ? ' ' : '\n');
  return 0;
}
