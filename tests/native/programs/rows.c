// Rows that add up in order and change in vectors, and stencils of many sizes, against the loops themselves.
// prints: 0 0 0 0 0
// launches: 234
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1100 * 40 };
static float a[MOST], expected[MOST], norms[128], roots[MOST];
static int seen[MOST];
static double u[MOST], w[MOST], plain[MOST];
static int wrong[5];

static int normalise(int rows, int columns, float x[rows][columns], float *norm)
{
    int total = 0;
#pragma acc parallel loop reduction(+:total) copy(x[0:rows][0:columns]) copyout(norm[0:rows])
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int j = 0; j < columns; j++)
            sum += x[i][j] * x[i][j];
        norm[i] = sqrtf(sum);
        for (int j = 0; j < columns; j++)
            x[i][j] = x[i][j] / norm[i];
        total += i + 1;
    }
    return total;
}

static void check_rows(int rows, int columns)
{
    for (int i = 0; i < rows * columns; i++)
        a[i] = expected[i] = (float)(i * 7 % 9 + 1) / 8;
    wrong[0] += normalise(rows, columns, (float(*)[columns])a, norms) != rows * (rows + 1) / 2;
    for (int i = 0; i < rows; i++) {
        float sum = 0, *x = expected + i * columns;
        for (int j = 0; j < columns; j++)
            sum += x[j] * x[j];
        sum = sqrtf(sum);
        wrong[1] += norms[i] != sum;
        for (int j = 0; j < columns; j++)
            wrong[1] += a[i * columns + j] != x[j] / sum;
    }
}

/* Roots are taken of all rows of a vector at once, whose sums are each in order. */
static void share(int rows, int columns, const float *x, float *root, int *count)
{
#pragma acc parallel loop copyin(x[0:rows * columns]) copy(root[0:rows * columns], count[0:rows * columns])
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int j = 0; j < columns; j++) {
            float r = sqrtf(x[i * columns + j]);
            root[i * columns + j] = r;
            sum += r;
        }
        for (int j = 0; j < columns; j++) {
            root[i * columns + j] /= sum;
            count[i * columns + j] += i * 3 + j;
        }
    }
}

static void check_shares(int rows, int columns)
{
    for (int i = 0; i < MOST; i++)
        a[i] = (float)(i * 7 % 9 + 1) / 8, roots[i] = -1, seen[i] = i % 5;
    share(rows, columns, a, roots, seen);
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int j = 0; j < columns; j++)
            sum += sqrtf(a[i * columns + j]);
        for (int j = 0; j < columns; j++) {
            int k = i * columns + j;
            wrong[4] += roots[k] != sqrtf(a[k]) / sum || seen[k] != k % 5 + i * 3 + j;
        }
    }
    wrong[4] += roots[rows * columns] != -1;
}

static void plane(int ny, int nz, const double *x, double *y)
{
#pragma acc parallel loop collapse(2) copyin(x[0:ny * nz]) copy(y[0:ny * nz])
    for (int j = 1; j < ny - 1; j++)
        for (int k = 1; k < nz - 1; k++)
            y[j * nz + k] = x[(j - 1) * nz + k] - x[(j + 1) * nz + k] + x[j * nz + k - 1] * x[j * nz + k + 1];
}

static void check_plane(int ny, int nz)
{
    for (int i = 0; i < ny * nz; i++)
        u[i] = i * 7 % 11, w[i] = plain[i] = -1;
    plane(ny, nz, u, w);
    for (int j = 1; j < ny - 1; j++)
        for (int k = 1; k < nz - 1; k++)
            plain[j * nz + k] = u[(j - 1) * nz + k] - u[(j + 1) * nz + k] + u[j * nz + k - 1] * u[j * nz + k + 1];
    wrong[2] += memcmp(w, plain, sizeof *w * (size_t)(ny * nz)) != 0;
}

static void box(int nx, int ny, int nz, const double *x, double *y)
{
#pragma acc parallel loop collapse(3) copyin(x[0:nx * ny * nz]) copy(y[0:nx * ny * nz])
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            for (int k = 1; k < nz - 1; k++)
                y[(i * ny + j) * nz + k] = x[((i + 1) * ny + j) * nz + k] - x[((i - 1) * ny + j) * nz + k] +
                                           x[(i * ny + j + 1) * nz + k] * x[(i * ny + j - 1) * nz + k] +
                                           x[(i * ny + j) * nz + k + 1] * x[(i * ny + j) * nz + k - 1];
}

static void check_box(int nx, int ny, int nz)
{
    for (int i = 0; i < nx * ny * nz; i++)
        u[i] = i * 7 % 11, w[i] = plain[i] = -1;
    box(nx, ny, nz, u, w);
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            for (int k = 1; k < nz - 1; k++)
                plain[(i * ny + j) * nz + k] = u[((i + 1) * ny + j) * nz + k] - u[((i - 1) * ny + j) * nz + k] +
                                               u[(i * ny + j + 1) * nz + k] * u[(i * ny + j - 1) * nz + k] +
                                               u[(i * ny + j) * nz + k + 1] * u[(i * ny + j) * nz + k - 1];
    wrong[3] += memcmp(w, plain, sizeof *w * (size_t)(nx * ny * nz)) != 0;
}

int main(void)
{
    static const int rows[] = {1, 7, 8, 9, 70}, columns[] = {1, 3, 15, 16, 17, 100};
    static const int heights[] = {2, 3, 9, 10, 11, 17, 18, 34, 39}, widths[] = {2, 3, 9, 10, 17, 19, 40, 256, 1024};

    for (int r = 0; r < 5; r++)
        for (int c = 0; c < 6; c++)
            check_rows(rows[r], columns[c]), check_shares(rows[r], columns[c]);
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < 9; c++)
            check_plane(heights[r], widths[c]);
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < 7; c++)
            check_box(3 + r % 4, heights[r], widths[c]);
    printf("%d %d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4]);
    return 0;
}
