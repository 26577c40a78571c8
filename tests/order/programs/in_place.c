/* Matrices that are factored and solved in place: launches read parts of an array and write others. */
#include "../../middle/programs/middle.h"

#define N 150
static float A[N][N], X[N][N];
static int p[N][N], q[N][N], v[2 * N];
static unsigned lower[N][N], upper[N][N];

static void fill(void)
{
  FILL2(A);
  FILL2(X);
  FILL2(p);
  FILL2(q);
  FILL2(lower);
  FILL2(upper);
  FILL(v);
  for (int i = 0; i < N; i++)
    A[i][i] = 20000 + i;
}

/* integers, a part that is read across, one that meets what is written where it begins */
static unsigned long parts(int n, int m)
{
  fill();
#pragma acc kernels
  {
    for (int i = m; i < n; i++)
      for (int j = m; j < n; j++)
        for (int k = 0; k < m; k++)
          p[i][j] += p[i][k] * p[j][k] + p[k][m];
    for (int i = 1; i < n; i++)
      v[i] = v[i] * 3 + v[0] + v[i + n];
    for (int i = 1; i < n; i++)
      v[2 * i] += v[2 * i - 1] * v[1];
  }
  return DIGEST(p) + DIGEST(v);
}

/* as textbooks have it, each row looking back at those before it: whatever it is called, the compiler finds the blocks */
static unsigned long backward(int n)
{
  fill();
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
  return DIGEST(A);
}

/* each step changing all that is left */
static unsigned long forward(unsigned n)
{
  fill();
#pragma acc kernels
  for (unsigned k = 1; k <= n; k++) {
    for (unsigned i = k + 1; i <= n; i++)
      A[i][k] /= A[k][k];
    for (unsigned i = k + 1; i <= n; i++)
      for (unsigned j = k + 1; j <= n; j++)
        A[i][j] -= A[i][k] * A[k][j];
  }
  return DIGEST(A);
}

/* half of a symmetric matrix, and the diagonal apart */
static unsigned long half(int n)
{
  fill();
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        p[i][j] -= p[i][k] * p[j][k];
      p[i][j] ^= p[j][j];
    }
    for (int k = 0; k < i; k++)
      p[i][i] -= p[i][k] * p[i][k];
    p[i][i] |= 1;
  }
  return DIGEST(p);
}

/* rows that are solved each for itself: elements before the one that is stored, behind it, and up to it */
static unsigned long solved(int rows, int n)
{
  fill();
#pragma acc kernels
  for (int r = 0; r < rows; r++) {
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++)
        X[r][i] -= A[i][k] * X[r][k];
      X[r][i] /= A[i][i];
    }
    for (int i = n - 1; i >= 0; i--)
      for (int k = i + 1; k < n; k++)
        X[r][i] -= A[k][i] * X[r][k] / 512;
    for (int i = 0; i < n; i++)
      for (int k = 0; k <= i; k++)
        X[r][i] -= A[i][k] * X[r][k] / 65536;
  }
  return DIGEST(X);
}

/* right-hand sides, whose loop stands outside of or inside of the one over unknowns, and what multiplies from the left */
static unsigned long sides(int n, int m)
{
  fill();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int r = 0; r < m; r++) {
        for (int k = 0; k < i; k++)
          X[i][r] -= A[i][k] * X[k][r];
        X[i][r] /= A[i][i];
      }
    for (int r = 0; r < m; r++)
      for (int i = 0; i < n; i++) {
        for (int k = i + 1; k < n; k++)
          X[i][r] += A[k][i] * X[k][r] / 64;
        X[i][r] *= 3;
      }
  }
  return DIGEST(X);
}

/* one right-hand side: a factor by rows, by columns, in steps that launch, and integers through a scalar */
static unsigned long one_side(int n)
{
  fill();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++)
        X[0][i] -= A[i][j] * X[0][j];
      X[0][i] /= A[i][i];
    }
    for (int i = 0; i < n; i++) {
      X[i][1] = A[0][i];
      for (int j = 0; j < i; j++)
        X[i][1] -= A[j][i] * X[j][1];
      X[i][1] /= A[i][i];
    }
    for (int j = 0; j < n; j++) {
      X[2][j] /= A[j][j];
      for (int i = j + 1; i < n; i++)
        X[2][i] -= A[j][i] * X[2][j];
    }
    for (int i = 0; i < n; i++) {
      unsigned sum = p[i][i];
      for (int j = 0; j < i; j++)
        sum -= q[i][j] * lower[0][j];
      lower[0][i] = sum;
    }
  }
  return DIGEST(X) + DIGEST(lower);
}

/* an element goes through a scalar, which other loops use, too */
static unsigned long through(int n)
{
  float w;
  fill();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        w = A[i][j];
        for (int k = 0; k < j; k++)
          w -= A[i][k] * A[k][j];
        A[i][j] = w / A[j][j];
      }
      for (int j = i; j < n; j++) {
        w = A[i][j];
        for (int k = 0; k < i; k++)
          w -= A[i][k] * A[k][j];
        A[i][j] = w;
      }
    }
    for (int i = 0; i < n; i++) {
      w = X[i][0];
      for (int j = 0; j < i; j++)
        w -= A[i][j] * X[j][1];
      X[i][1] = w;
    }
  }
  return DIGEST(A) + DIGEST(X);
}

/* a scalar adds up what is stored where nothing was, of one array or two */
static unsigned long summed(int n)
{
  fill();
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      int sum = 0;
      for (int k = 0; k < j; k++)
        sum += p[i][k] * p[j][k];
      p[i][j] = q[i][j] - sum;
      p[i][j] ^= p[j][j];
    }
    int sum = q[i][i];
    for (int k = 0; k < i; k++)
      sum -= p[i][k] * p[i][k];
    p[i][i] = sum | 1;
  }
  return DIGEST(p);
}

/* two triangles from what an array has, whose sums begin with nothing before all steps */
static unsigned long from_nothing(int n)
{
  fill();
#pragma acc kernels
  for (int i = 0; i < n; i++) {
    for (int k = i; k < n; k++) {
      unsigned sum = 0;
      for (int j = 0; j < i; j++)
        sum += lower[i][j] * upper[j][k];
      upper[i][k] = p[i][k] - sum;
    }
    for (int k = i; k < n; k++)
      if (i == k)
        lower[i][i] = 1;
      else {
        unsigned sum = 0;
        for (int j = 0; j < i; j++)
          sum += lower[k][j] * upper[j][i];
        lower[k][i] = (p[k][i] - sum) ^ upper[i][i];
      }
  }
  return DIGEST(lower) + DIGEST(upper);
}

/* elements that are looked at while a scalar has what they will be, or that hold less than it */
static unsigned long not_in_place(int n)
{
  int sum;
  fill();
#pragma acc kernels
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        sum = p[i][j];
        for (int k = 0; k <= j; k++)
          sum -= p[i][k] * p[k][i];
        p[i][j] = sum;
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        int sum = 0;
        for (int k = 0; k < i; k++)
          sum += q[i][k] * q[k][j];
        q[i][j] -= sum;
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double wide = A[i][j];
        for (int k = 0; k < i; k++)
          wide -= A[i][k] * A[k][j];
        A[i][j] = wide / A[i][i];
      }
  }
  return DIGEST(p) + DIGEST(q) + DIGEST(A);
}

/* a step needs what the one before left everywhere, and one of them changes its own row and column: a block reads copies */
static unsigned long everywhere(int n, int below)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = (noise(i * n + j) & 63) * 0.37f;
  A[0][n / 2] = -0.0f;
  A[n / 2][n / 3] = 1.0f / 0.0f;
  A[n / 3][n / 2] = -1.0f / 0.0f;
  A[below][below] = -0.5f;
#pragma acc kernels
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] = A[i][j] < A[i][k] + A[k][j] ? A[i][j] : A[i][k] + A[k][j];
  return DIGEST(A);
}

/* under a condition, and sums that are too large begin again from 0 */
static unsigned long around(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      lower[i][j] = noise(i * n + j) < -40 ? ~0u - 7 : (unsigned)(noise(i * n + j) + 60);
#pragma acc kernels
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (lower[i][k] + lower[k][j] < lower[i][j])
          lower[i][j] = lower[i][k] + lower[k][j];
  return DIGEST(lower);
}

int main(void)
{
  DEVICE(backward(N));
  DEVICE(backward(64));
  DEVICE(backward(65));
  DEVICE(backward(2));
  EMPTY(backward(0));
  DEVICE(forward(N - 1));
  DEVICE(forward(128));
  DEVICE(half(N));
  DEVICE(half(1));
  DEVICE(solved(N, 77));
  DEVICE(solved(11, 1));
  DEVICE(sides(N, 37));
  DEVICE(sides(130, 1));
  DEVICE(one_side(N));
  DEVICE(one_side(129));
  DEVICE(one_side(64));
  DEVICE(one_side(1));
  EMPTY(one_side(0));
  DEVICE(through(N));
  DEVICE(summed(N));
  DEVICE(from_nothing(N));
  DEVICE(from_nothing(65));
  DEVICE(not_in_place(70));
  DEVICE(everywhere(N, N - 2));
  DEVICE(everywhere(129, 3));
  DEVICE(everywhere(64, 63));
  DEVICE(everywhere(40, 7));
  DEVICE(everywhere(1, 0));
  DEVICE(around(N));
  DEVICE(around(65));
  EMPTY(around(0));
  DEVICE(parts(N, 67));
  DEVICE(parts(31, 1));
  return 0;
}
