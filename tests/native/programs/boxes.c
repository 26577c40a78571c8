// Stencils of boxes by planes, by single rows and by rows, against the loops themselves: sizes that leave planes, rows
// and columns over, and rows and planes a power of two apart.
// prints: 0 0 0 0
// launches: 248
#include <stdio.h>
#include <string.h>

enum { MOST = 9 * 32 * 512 };
static float a[MOST], b[MOST], c[MOST], d[MOST], e[MOST], f[MOST], plain[3][MOST];
static double u[MOST], v[MOST], x[MOST], y[MOST];

#define SEVEN                                                                                                          \
    for (int k = 1; k < n - 1; k++)                                                                                    \
        for (int i = 1; i < m - 1; i++)                                                                                \
            for (int j = 1; j < l - 1; j++)                                                                            \
                y[k][i][j] = x[k][i][j] - 0.5f * (x[k - 1][i][j] + x[k + 1][i][j] - x[k][i - 1][j] * x[k][i + 1][j] +  \
                                                  x[k][i][j - 1] - x[k][i][j + 1]);

static void seven(int n, int m, int l, float x[restrict n][m][l], float y[restrict n][m][l])
{
#pragma acc kernels copyin(x[0:n][0:m][0:l]) copy(y[0:n][0:m][0:l])
    SEVEN
}

static void plainly_seven(int n, int m, int l, float x[n][m][l], float y[n][m][l]){SEVEN}

/* The first sweep adds to what there is; both read two planes away. */
#define BY_STEPS                                                                                                       \
    for (int t = 0; t < 2; t++) {                                                                                      \
        for (int k = 2; k < n - 2; k++)                                                                                \
            for (int i = 0; i < m - 1; i++)                                                                            \
                for (int j = 0; j < l; j++)                                                                            \
                    y[k][i][j] += x[k - 2][i][j] + x[k + 2][i][j] - x[k][i + 1][j] + x[k][i][j];                       \
        for (int k = 2; k < n - 2; k++)                                                                                \
            for (int i = 1; i < m - 1; i++)                                                                            \
                for (int j = 0; j < l; j++)                                                                            \
                    x[k][i][j] = (y[k - 2][i][j] - y[k + 2][i][j] + y[k][i - 1][j] - y[k][i][j]) / 2;                  \
    }

static void by_steps(int n, int m, int l, double x[restrict n][m][l], double y[restrict n][m][l])
{
#pragma acc kernels copy(x[0:n][0:m][0:l], y[0:n][0:m][0:l])
    BY_STEPS
}

static void plainly_by_steps(int n, int m, int l, double x[n][m][l], double y[n][m][l]){BY_STEPS}

/* Three arrays change where they are: more lines of memory than two planes should go along. */
#define FIELDS                                                                                                         \
    for (int k = 0; k < n - 1; k++)                                                                                    \
        for (int i = 0; i < m - 1; i++)                                                                                \
            for (int j = 0; j < l - 1; j++) {                                                                          \
                p[k][i][j] += y[k + 1][i][j] - y[k][i][j] - z[k][i + 1][j] + z[k][i][j];                               \
                q[k][i][j] += z[k][i][j + 1] - z[k][i][j] - x[k + 1][i][j] + x[k][i][j];                               \
                r[k][i][j] += x[k][i + 1][j] - x[k][i][j] - y[k][i][j + 1] + y[k][i][j];                               \
            }

static void fields(int n, int m, int l, float x[restrict n][m][l], float y[restrict n][m][l],
                   float z[restrict n][m][l], float p[restrict n][m][l], float q[restrict n][m][l],
                   float r[restrict n][m][l])
{
#pragma acc kernels copyin(x[0:n][0:m][0:l], y[0:n][0:m][0:l], z[0:n][0:m][0:l]) \
    copy(p[0:n][0:m][0:l], q[0:n][0:m][0:l], r[0:n][0:m][0:l])
    FIELDS
}

static void plainly_fields(int n, int m, int l, float x[n][m][l], float y[n][m][l], float z[n][m][l],
                           float p[n][m][l], float q[n][m][l], float r[n][m][l]){FIELDS}

/* Planes have nothing in common. */
#define IMAGES                                                                                                         \
    for (int k = 0; k < n; k++)                                                                                        \
        for (int i = 1; i < m - 1; i++)                                                                                \
            for (int j = 1; j < l - 1; j++)                                                                            \
                y[k][i][j] = x[k][i - 1][j] - x[k][i + 1][j] + x[k][i][j - 1] * x[k][i][j + 1];

static void images(int n, int m, int l, float x[restrict n][m][l], float y[restrict n][m][l])
{
#pragma acc kernels copyin(x[0:n][0:m][0:l]) copy(y[0:n][0:m][0:l])
    IMAGES
}

static void plainly_images(int n, int m, int l, float x[n][m][l], float y[n][m][l]){IMAGES}

static void set(void)
{
    for (int i = 0; i < MOST; i++) {
        a[i] = (float)(i * 7 % 11), b[i] = (float)(i * 5 % 13), c[i] = (float)(i * 3 % 17);
        d[i] = e[i] = f[i] = plain[0][i] = plain[1][i] = plain[2][i] = (float)(i % 5);
        u[i] = i * 7 % 11, v[i] = i % 3;
    }
}

int main(void)
{
    static const int depths[] = {2, 3, 4, 5, 8, 9}, heights[] = {3, 17, 130}, widths[] = {4, 9, 16, 35};
    int wrong[4] = {0};

    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) {
                /* planes of 512 and rows of 1024 elements, too */
                int n = depths[k], m = j == 2 && i < 2 ? 32 : heights[i], l = j == 2 && i == 1 ? 512 : widths[j];
                size_t bytes = sizeof(float) * (size_t)n * m * l;
                set();
                seven(n, m, l, (void *)a, (void *)d);
                plainly_seven(n, m, l, (void *)a, (void *)plain[0]);
                wrong[0] += memcmp(d, plain[0], bytes) != 0;
                set();
                fields(n, m, l, (void *)a, (void *)b, (void *)c, (void *)d, (void *)e, (void *)f);
                plainly_fields(n, m, l, (void *)a, (void *)b, (void *)c, (void *)plain[0], (void *)plain[1],
                               (void *)plain[2]);
                wrong[1] += memcmp(d, plain[0], bytes) || memcmp(e, plain[1], bytes) || memcmp(f, plain[2], bytes);
                set();
                images(n, m, l, (void *)a, (void *)d);
                plainly_images(n, m, l, (void *)a, (void *)plain[0]);
                wrong[2] += memcmp(d, plain[0], bytes) != 0;
            }
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < 2; j++) {
            int n = depths[k] + 1, m = 17, l = widths[3 * j];
            set();
            by_steps(n, m, l, (void *)u, (void *)v);
            memcpy(x, u, sizeof u), memcpy(y, v, sizeof v);
            set();
            plainly_by_steps(n, m, l, (void *)u, (void *)v);
            wrong[3] += memcmp(x, u, sizeof u) || memcmp(y, v, sizeof v);
        }
    printf("%d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3]);
    return 0;
}
