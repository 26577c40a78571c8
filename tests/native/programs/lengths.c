// Arrays that iterations declare, of lengths that only the program knows: work arrays, buffers of a filter, small systems
// of equations. Each iteration has its own.
// prints: 0 0 0 0 0 0 0 0 0 0 0
// launches: 83
// natively launches: 82
#include <openacc.h>
#include <stdio.h>
#include <string.h>

enum { N = 150, M = 37 };

struct point {
    float x, y;
};

static float a[N][M], b[N][M], w[M][M];
static double d[N][M], e[N];
static int p[N], q[N];

static int pow3(int m)
{
    return 3 * m;
}

/* A vector times a matrix, in place. */
static void products(int n, int m)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        float sum[m];
        for (int j = 0; j < m; j++) {
            sum[j] = 0;
            for (int k = 0; k < m; k++)
                sum[j] += a[i][k] * w[k][j];
        }
        for (int j = 0; j < m; j++)
            a[i][j] = sum[j];
    }
}

/* What the compiler finds itself, in two loops. */
static void found(int n, int m)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        for (int l = 0; l < 3; l++) {
            float row[m];
            for (int j = 0; j < m; j++)
                row[j] = a[i][j] + l;
            for (int j = 1; j < m; j++)
                row[j] += row[j - 1];
            b[i][l] = m > 0 ? row[m - 1] : -1;
        }
}

/* A system of equations each, by elimination. */
static void systems(int n, int m)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        double s[m][m + 1];
        for (int r = 0; r < m; r++)
            for (int c = 0; c <= m; c++)
                s[r][c] = r == c ? 4 + i % 3 : (r + 2 * c + i) % 5 * 0.125;
        for (int k = 0; k < m; k++)
            for (int r = k + 1; r < m; r++) {
                double factor = s[r][k] / s[k][k];
                for (int c = k; c <= m; c++)
                    s[r][c] -= factor * s[k][c];
            }
        e[i] = 0;
        for (int r = m - 1; r >= 0; r--) {
            double x = s[r][m];
            for (int c = r + 1; c < m; c++)
                x -= s[r][c] * d[i][c];
            d[i][r] = x / s[r][r];
            e[i] += d[i][r];
        }
    }
}

/* A median, by sorting a copy; the loop inside has no length that anyone knows. */
static void medians(int n, int m)
{
#pragma acc parallel loop copyin(p) copyout(q)
    for (int i = 0; i < n; i++) {
        int sorted[2 * m + 1];
        for (int j = 0; j <= 2 * m; j++)
            sorted[j] = p[(i * 7 + j * 11) % N];
        for (int j = 1; j <= 2 * m; j++) {
            int k = j, value = sorted[j];
            while (k > 0 && sorted[k - 1] > value) {
                sorted[k] = sorted[k - 1];
                k--;
            }
            sorted[k] = value;
        }
        q[i] = sorted[m];
    }
}

/* Rows of a constant length, and structs. */
static void mixed(int n, int m)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        short pairs[m][2];
        struct point track[m + 1];
        track[0].x = track[0].y = i;
        for (int j = 0; j < m; j++) {
            pairs[j][0] = j * i % 7;
            pairs[j][1] = j - i % 5;
            track[j + 1].x = track[j].x + pairs[j][0];
            track[j + 1].y = track[j].y - pairs[j][1];
        }
        b[i][0] = track[m].x - track[m].y;
    }
}

/* In rows of a private clause, too, and with a sum over all. */
static double sums(int n, int m)
{
    double total = 0;
    float own[m + 1];
#pragma acc parallel loop private(own) reduction(+ : total)
    for (int i = 0; i < n; i++) {
        own[0] = 1;
        for (int j = 0; j < m; j++)
            own[j + 1] = own[j] + (float)(int)(a[i][j] * 8) / 8;
        total += own[m];
    }
    return total;
}

/* A length that a call gives before the region. */
static void called(int n, int m)
{
    int length = pow3(m);
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        int seen[length + 1];
        for (int j = 0; j <= length; j++)
            seen[j] = 0;
        for (int j = 0; j < length; j++)
            seen[(i * j + 1) % (length + 1)] += j;
        q[i] = seen[length / 2] - seen[0];
    }
}

static unsigned long long hash(void)
{
    unsigned long long h = 1469598103934665603ull;
    const struct {
        const void *start;
        size_t bytes;
    } every[] = {{a, sizeof a}, {b, sizeof b}, {d, sizeof d}, {e, sizeof e}, {q, sizeof q}};
    for (size_t k = 0; k < sizeof every / sizeof *every; k++)
        for (size_t i = 0; i < every[k].bytes; i++)
            h = (h ^ ((const unsigned char *)every[k].start)[i]) * 1099511628211ull;
    return h;
}

int main(void)
{
    static const int sizes[][2] = {{150, 37}, {149, 8}, {64, 1}, {17, 16}, {3, 5}, {1, 37}, {0, 9}, {130, 33}, {40, 2}, {99, 31}, {128, 32}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned long long h[2];
        double totals[2];
        for (int run = 0; run < 2; run++) {
            int n = sizes[k][0], m = sizes[k][1];
            for (int i = 0; i < N; i++) {
                p[i] = i * 37 % 101;
                q[i] = -1;
                e[i] = 0;
                for (int j = 0; j < M; j++) {
                    a[i][j] = (i * 3 + j * 5) % 13 * 0.25f;
                    b[i][j] = d[i][j] = 0;
                }
            }
            for (int i = 0; i < M; i++)
                for (int j = 0; j < M; j++)
                    w[i][j] = (i + j) % 3 - 1;
            if (run == 0)
                acc_set_device_type(acc_device_host);
            products(n, m);
            found(n, m);
            systems(n, m);
            medians(n, m / 3);
            mixed(n, m);
            totals[run] = sums(n, m);
            h[run] = hash();
            called(n, m);
            h[run] += hash();
            if (run == 0)
                acc_set_device_type(acc_device_default);
        }
        printf("%d%c", h[0] != h[1] || totals[0] != totals[1], k + 1 < sizeof sizes / sizeof *sizes ? ' ' : '\n');
    }
    return 0;
}
