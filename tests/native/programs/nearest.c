// The least and the greatest of sums of pairs, as `if` says it: NaN is passed over where it is a value, and kept where it
// is an element; sizes may be 0, and elements smaller than what they are compared with.
// prints: 0 0 0
// launches: 15
#include <math.h>
#include <stdio.h>

#define N 131
static float A[N][N], B[N][N], C[N][N], D[N][N];
static unsigned p[N][N], q[N][N], r[N][N], s[N][N];
static double wide[N][N];

#define NEAREST(C) \
    for (int i = 0; i < m; i++) \
        for (int j = 0; j < n; j++) \
            for (int k = 0; k < l; k++) \
                if (A[i][k] + B[k][j] < C[i][j]) \
                    C[i][j] = A[i][k] + B[k][j];
#define FARTHEST(r) \
    for (int i = 0; i < m; i++) \
        for (int k = 0; k < l; k++) \
            for (int j = 0; j < n; j++) { \
                if (r[i][j] <= p[i][k] - q[k][j]) \
                    r[i][j] = p[i][k] - q[k][j]; \
            }
#define ROUNDED(C) \
    for (int i = 0; i < m; i++) \
        for (int j = 0; j < n; j++) \
            for (int k = 0; k < l; k++) \
                if (wide[i][k] + B[k][j] > C[i][j]) \
                    C[i][j] = wide[i][k] + B[k][j];

static void device(int m, int n, int l)
{
#pragma acc kernels
    NEAREST(C)
#pragma acc kernels
    FARTHEST(r)
}

static void rounded(int m, int n, int l)
{
#pragma acc kernels
    ROUNDED(C)
}

static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            A[i][j] = (i * 7 + j * 3) % 29 - 9;
            B[i][j] = (i * 5 + j * 11) % 31 - 7;
            C[i][j] = D[i][j] = (i + j) % 3 ? 3 : -14;
            wide[i][j] = A[i][j] / 3.0;
            p[i][j] = (unsigned)(i * 77 + j) * 2654435761u;
            q[i][j] = (unsigned)(i + j * 5) * 2246822519u;
            r[i][j] = s[i][j] = i * j;
        }
    A[3][2] = B[1][5] = C[4][6] = D[4][6] = C[0][0] = D[0][0] = NAN;
    A[2][1] = INFINITY;
    B[2][7] = -INFINITY;
}

static int differs(void)
{
    int count = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            count += C[i][j] != D[i][j] && (C[i][j] == C[i][j] || D[i][j] == D[i][j]);
    return count;
}

int main(void)
{
    const int sizes[][3] = {{N, N, N}, {1, 1, 1}, {9, 33, 5}, {17, 16, 0}, {8, 31, 64}, {2, 100, 7}};
    int wrong[3] = {0};
    for (int c = 0; c < 6; c++) {
        int m = sizes[c][0], n = sizes[c][1], l = sizes[c][2];
        fill();
        device(m, n, l);
        NEAREST(D)
        FARTHEST(s)
        wrong[0] += differs();
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                wrong[1] += r[i][j] != s[i][j];
        fill();
        rounded(m, n, l);
        ROUNDED(D)
        wrong[2] += differs();
    }
    printf("%d %d %d\n", wrong[0], wrong[1], wrong[2]);
    return 0;
}
