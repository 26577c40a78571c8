// Arrays that a clause makes private: each iteration has its own, whether they run one after the other or side by side.
// prints: 0 0 0 0 0 0
// launches: 39
// plainly launches: 38
#include <math.h>
#include <openacc.h>
#include <stdio.h>

enum { N = 203, M = 19 };

static float a[N][M], b[N][M], w[M][M], first[N];
static double d[N];
static int p[N], q[N];

static double sums(int n)
{
    double total = 0;
    float own[M + 1];
#pragma acc parallel loop private(own) reduction(+ : total)
    for (int i = 0; i < n; i++) {
        own[0] = 1;
        for (int j = 0; j < M; j++)
            own[j + 1] = own[j] + (float)(int)(a[i][j] * 8) / 8;
        total += own[M];
    }
    return total;
}

static void products(int n)
{
    float sum[M];
#pragma acc parallel loop private(sum)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < M; j++) {
            sum[j] = 0;
            for (int k = 0; k < M; k++)
                sum[j] += a[i][k] * w[k][j];
        }
        for (int j = 0; j < M; j++)
            b[i][j] = sum[j];
    }
}

static void windows(int n)
{
    float last[3];
#pragma acc parallel loop private(last)
    for (int i = 0; i < n; i++) {
        last[0] = last[1] = last[2] = 0;
        for (int j = 0; j < M; j++) {
            last[j % 3] = a[i][j];
            b[i][j] += last[0] + last[1] - last[2];
        }
    }
}

static void conditions(int n)
{
    double pair[2];
#pragma acc parallel loop private(pair)
    for (int i = 0; i < n; i++) {
        pair[0] = pair[1] = 1;
        if (p[i] & 1)
            pair[p[i] / 2 & 1] = sqrt(i + 1.0);
        else
            pair[1] -= i;
        d[i] = pair[0] * 3 - pair[1];
    }
}

static void steps(int n)
{
    int digits[10];
#pragma acc parallel loop private(digits)
    for (int i = 0; i < n; i++) {
        int value = p[i] * 7919 + i, count = 0;
        for (int k = 0; k < 10; k++)
            digits[k] = 0;
        while (value > 0 && count < 10) {
            digits[count++] = value % 10;
            value /= 10;
        }
        q[i] = 0;
        for (int k = 0; k < count; k++)
            q[i] = q[i] * 10 + digits[k];
    }
}

static void inside(int n)
{
    float row[M];
#pragma acc parallel
#pragma acc loop gang private(row)
    for (int i = 0; i < n; i++) {
#pragma acc loop vector
        for (int j = 0; j < M; j++)
            row[j] = a[i][j] * 2;
#pragma acc loop vector
        for (int j = 0; j < M; j++)
            b[i][j] += row[M - 1 - j];
        first[i] = row[0];
    }
}

static unsigned long long hash(double total)
{
    unsigned long long h = (unsigned long long)(total * 1024);
    const struct {
        const void *start;
        size_t bytes;
    } every[] = {{b, sizeof b}, {d, sizeof d}, {q, sizeof q}, {first, sizeof first}};
    for (size_t k = 0; k < sizeof every / sizeof *every; k++)
        for (size_t i = 0; i < every[k].bytes; i++)
            h = (h ^ ((const unsigned char *)every[k].start)[i]) * 1099511628211ull;
    return h;
}

int main(void)
{
    static const int sizes[] = {203, 64, 17, 3, 1, 0};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned long long h[2];
        for (int run = 0; run < 2; run++) {
            for (int i = 0; i < N; i++) {
                p[i] = i * 37 % 101;
                q[i] = -1;
                d[i] = first[i] = 0;
                for (int j = 0; j < M; j++) {
                    a[i][j] = (i * 3 + j * 5) % 13 * 0.25f;
                    b[i][j] = 0;
                }
            }
            for (int i = 0; i < M; i++)
                for (int j = 0; j < M; j++)
                    w[i][j] = (i + j) % 3 - 1;
            acc_set_device_type(run == 0 ? acc_device_host : acc_device_default);
            double total = sums(sizes[k]);
            products(sizes[k]);
            windows(sizes[k]);
            conditions(sizes[k]);
            steps(sizes[k]);
            inside(sizes[k]);
            h[run] = hash(total);
        }
        printf("%d%c", h[0] != h[1], k + 1 < sizeof sizes / sizeof *sizes ? ' ' : '\n');
    }
    return 0;
}
