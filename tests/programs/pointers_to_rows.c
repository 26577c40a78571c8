// Tables of pointers to rows: wherever these lie, and whatever is present of them, the numbers are those of the plain loops.
// prints: all right
// launches: 59
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 37, M = 53 };

static int failures, separate;

static void expect(const char *what, int right) {
  if (right) return;
  printf("wrong: %s\n", what);
  failures++;
}

static float **apart(int n, int m) {
  float **A = malloc((n + 1) * sizeof *A);
  for (int i = 0; i < n; i++) A[i] = malloc((m + i % 3 * 40) * sizeof **A);
  return A;
}

static float **one_block(int n, int m) {
  float **A = malloc((n + 1) * sizeof *A);
  A[0] = malloc((size_t)n * m * sizeof **A);
  for (int i = 1; i < n; i++) A[i] = A[0] + (size_t)i * m;
  return A;
}

static float **backwards(int n, int m) {
  float **A = malloc((n + 1) * sizeof *A), *block = malloc((size_t)n * m * sizeof **A);
  for (int i = 0; i < n; i++) A[i] = block + (size_t)(n - 1 - i) * m;
  return A;
}

static void fill(float **A, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) A[i][j] = (float)(i * 100 + j);
}

static int holds(float **A, int n, int m, float factor, float more) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (A[i][j] != factor * (float)(i * 100 + j) + more) return 0;
  return 1;
}

static void scale(float **A, int n, int m) {
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) A[i][j] = 2.0f * A[i][j] + 1.0f;
}

static void add(float **A, float **B, int n, int m) {
#pragma acc parallel loop collapse(2) copyin(A[0:n][0:m]) copy(B[0:n][0:m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) B[i][j] += A[i][j];
}

static void first_column(float **A, float *x, int n) {
#pragma acc parallel loop copyout(x[0:n])
  for (int i = 0; i < n; i++) x[i] = A[i][0];
}

static void stencil(double **P, double **Q, int n, int m) {
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) Q[i][j] = P[i - 1][j] + P[i + 1][j] + P[i][j - 1] + P[i][j + 1];
}

static void triangle(int **T, int n) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) T[i][j] += i - j;
}

static void some_rows(float **A, int first, int n, int m) {
#pragma acc parallel loop collapse(2)
  for (int i = first; i < n; i++)
    for (int j = 0; j < m; j++) A[i][j] = -1.0f;
}

static void gather(float **A, const int *row, float *x, int n, int m, int length) {
#pragma acc parallel loop copyin(A[0:n][0:m]) copyout(x[0:length])
  for (int k = 0; k < length; k++) x[k] = A[row[k]][k % m];
}

static void multiply(float **A, float **B, float **C, int n, int m, int k) {
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float sum = 0.0f;
      for (int p = 0; p < k; p++) sum += A[i][p] * B[p][j];
      C[i][j] = sum;
    }
}

static void layouts(void) {
  float **(*const make[])(int, int) = {apart, one_block, backwards};
  static const int sizes[][2] = {{N, M}, {1, M}, {N, 1}, {1, 1}};
  for (int k = 0; k < 3; k++)
    for (int s = 0; s < 4; s++) {
      int n = sizes[s][0], m = sizes[s][1];
      float **A = make[k](n + 1, m + 1);
      fill(A, n, m);
      scale(A, n, m);
      expect("one table", holds(A, n, m, 2.0f, 1.0f));
      float **B = make[(k + 1) % 3](n + 1, m + 1);
      fill(A, n, m);
      fill(B, n, m);
      add(A, B, n, m);
      expect("two tables", holds(B, n, m, 2.0f, 0.0f) && holds(A, n, m, 1.0f, 0.0f));
      float *x = calloc(N + 1, sizeof *x);
      if (m) first_column(A, x, n);
      for (int i = 0; m && i < n; i++) expect("a column", x[i] == (float)(i * 100));
    }
}

static void shapes(void) {
  double **P = malloc(N * sizeof *P), **Q = malloc(N * sizeof *Q);
  for (int i = 0; i < N; i++) {
    P[i] = malloc(M * sizeof **P);
    Q[i] = malloc(M * sizeof **Q); /* each between two rows of P */
    for (int j = 0; j < M; j++) P[i][j] = i * j, Q[i][j] = -1.0;
  }
  stencil(P, Q, N, M);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      int inside = i > 0 && j > 0 && i < N - 1 && j < M - 1;
      expect("a stencil", Q[i][j] == (inside ? 4.0 * i * j : -1.0));
    }
  int **T = malloc(N * sizeof *T);
  for (int i = 0; i < N; i++) {
    T[i] = malloc((i + 1 + 1) * sizeof **T);
    for (int j = 0; j <= i + 1; j++) T[i][j] = j;
  }
  triangle(T, N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i + 1; j++) expect("rows of their own lengths", T[i][j] == (j <= i ? i : j));
  float **A = apart(N, M);
  fill(A, N, M);
  float *first = A[0], *second = A[1];
  A[0] = NULL;
  A[1] = (float *)1;
  some_rows(A, 2, N, M);
  A[0] = first;
  A[1] = second;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) expect("rows that nobody touches", A[i][j] == (i < 2 ? (float)(i * 100 + j) : -1.0f));
}

static void aliases(void) {
  float **A = apart(N, M);
  fill(A, N, M);
  A[5] = A[4];
  float want[M];
  for (int j = 0; j < M; j++) want[j] = 2.0f * (2.0f * A[4][j] + 1.0f) + 1.0f;
  scale(A, N, M);
  expect("a row that is there twice", !memcmp(A[4], want, sizeof want));
  fill(A, N, M);
  A[6] = A[7] + 1; /* they overlap */
  for (int j = 0; j < M; j++) A[7][j] = 1.0f;
  A[7][M] = 1.0f; /* there is room: 7 % 3 is 1 */
  scale(A, N, M);
  expect("rows that overlap", A[7][0] == 3.0f && A[7][1] == 7.0f && A[7][M] == 3.0f);
  float **B = apart(N, M), **C = apart(N, M);
  fill(B, N, M);
  for (int i = 0; i < N; i++) C[i] = B[i];
  add(B, C, N, M);
  expect("two tables of the same rows", holds(B, N, M, 2.0f, 0.0f));
  fill(B, N, M);
  float *x = B[3] + 2; /* what is written lies in a row */
  first_column(B, x, 10);
  for (int i = 0; i < 10; i++) expect("a vector that is part of a row", x[i] == (i < 3 || i > 3 ? (float)(i * 100) : 300.0f));
  float **D = malloc(N * sizeof *D);
  fill(B, N, M);
  for (int i = 0; i < N; i++) D[i] = B[i % 2]; /* only read: rows may come often */
  float y[N];
  first_column(D, y, N);
  for (int i = 0; i < N; i++) expect("rows that come often", y[i] == (float)(i % 2 * 100));
}

static void clauses(void) {
  float **A = apart(N, M), x[100];
  int row[100];
  fill(A, N, M);
  for (int k = 0; k < 100; k++) row[k] = k * 7 % N;
  gather(A, row, x, N, M, 100);
  for (int k = 0; k < 100; k++) expect("rows by number", x[k] == (float)(row[k] * 100 + k % M));
}

static void directives(void) {
  float **(*const make[])(int, int) = {apart, one_block};
  for (int k = 0; k < 2; k++) {
    float **A = make[k](N, M), **B = make[k](N, M), **C = make[k](N, M);
    fill(A, N, M);
    fill(B, N, M);
#pragma acc data copy(A[0:N][0:M]) copyin(B[0:N][0:M])
    {
      scale(A, N, M);
      if (separate) A[1][1] = 1e6f; /* the device's copy is the one that counts */
      scale(A, N, M);
      add(A, B, N, M);
#pragma acc update self(B[2:1][0:M])
      expect("update of a row", B[2][3] == 4.0f * 203.0f + 3.0f + 203.0f);
      B[2][3] = 0.0f;
#pragma acc update device(B[2:1][0:M])
      add(A, B, N, M);
#pragma acc update self(B[0:N][0:M])
    }
    expect("data of rows", holds(A, N, M, 4.0f, 3.0f));
    expect("what was updated", B[2][3] == 4.0f * 203.0f + 3.0f && B[1][1] == 9.0f * 101.0f + 6.0f);
    fill(A, N, M);
    fill(B, N, M);
#pragma acc enter data copyin(A[0:N][0:M]) create(C[0:N][0:M])
#pragma acc parallel loop collapse(2) present(A[0:N][0:M], C[0:N][0:M])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) C[i][j] = 3.0f * A[i][j];
    scale(C, N, M);
#pragma acc exit data copyout(C[0:N][0:M]) delete(A[0:N][0:M])
    expect("enter and exit", holds(C, N, M, 6.0f, 1.0f));
    fill(A, N, M);
    int rows = N, columns = M;
#pragma acc data copy(A[0][0:N * M]) if(k == 1)
    scale(A, rows, columns); /* the block of all rows is present by its own address */
    expect("rows of a block that is present", holds(A, N, M, 2.0f, 1.0f));
  }
}

struct grid {
  int n, m;
  float **cells;
};

static float **table;

static void members(struct grid *g) {
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < g->n; i++)
    for (int j = 0; j < g->m; j++) g->cells[i][j] = 2.0f * table[i][j];
}

static void products(void) {
  float **A = apart(N, 20), **B = one_block(20, M), **C = backwards(N, M), *fixed[N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 20; j++) A[i][j] = (float)(i + j);
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < M; j++) B[i][j] = (float)(i - j);
  multiply(A, B, C, N, M, 20);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      float sum = 0.0f;
      for (int p = 0; p < 20; p++) sum += (float)((i + p) * (p - j));
      expect("a product", C[i][j] == sum);
    }
  struct grid g = {N, M, C};
  table = apart(N, M);
  fill(table, N, M);
  members(&g);
  expect("a member and a global", holds(C, N, M, 2.0f, 0.0f));
  for (int i = 0; i < N; i++) fixed[i] = C[i];
#pragma acc parallel loop
  for (int i = 0; i < N; i++) {
    float *row = fixed[i];
    for (int j = 0; j < M; j++) row[j] += 1.0f;
  }
  expect("an array of pointers", holds(C, N, M, 2.0f, 1.0f));
}

int main(void) {
  const char *zero_copy = getenv("ACCSHARE_ZERO_COPY");
  separate = zero_copy && *zero_copy == '0';
  layouts();
  shapes();
  aliases();
  clauses();
  directives();
  products();
  if (!failures) printf("all right\n");
  return failures != 0;
}
