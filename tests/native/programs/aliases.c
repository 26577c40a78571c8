// Pointers of which nobody knows how far they reach, some of them to the same memory: what was promised holds, whatever
// names lead to an element, and each iteration does things in the program's order.
// prints: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// launches: 23
#include <stdio.h>
#include <stdlib.h>

enum { N = 300, M = 5 };
struct pair { int first, second; };

/* y[i] is read again by another name while it is added to. */
static void rows(int n, const int *row, const long *column, const double *x, double *y)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        for (int k = row[i]; k < row[i + 1]; k++)
            y[i] += x[column[k]];
}

/* Stored, then read by another name, twice. */
static void stored_and_read(int n, const int *at, const int *x, int *y)
{
#pragma acc kernels loop independent
    for (int i = 0; i < n; i++) {
        y[i] = 3;
        y[i] = x[at[i]] + 4;
        if (x[at[i]] > 6)
            y[i] = 7;
        else
            y[i] = 0;
    }
}

/* An iteration of the inner loop, which nothing is promised of, needs the one before. */
static void chain(int n, const unsigned *before, const int *x, int *y)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < M; j++)
            y[i * M + j] = (j + 1) * x[before[i * M + j]];
}

/* Without a promise only the host's order is right. */
static void no_promise(int n, const int *at, const int *x, int *y)
{
#pragma acc kernels loop
    for (int i = 0; i < n; i++)
        y[i] = x[at[i]] + 1;
}

/* The outer loop has no promise, the inner one has. */
static void inner_promise(int n, const int *at, const int *x, int *y)
{
#pragma acc kernels
    for (int t = 0; t < 3; t++)
#pragma acc loop independent
        for (int i = 0; i < n; i++)
            y[i] = 2 * x[at[i]] - y[i] + 1;
}

/* Loops change places elsewhere, but the promise is about one iteration of the outer loop. */
static void turned(int n, const int *at, const int *x, int *y)
{
#pragma acc kernels
    for (int t = 0; t < 2; t++)
#pragma acc loop independent
        for (int i = 0; i < n; i++)
            y[2 * i + t] += x[at[t * n + i]];
}

/* Two results by way of a third name. */
static void three(int n, const int *at, int *x, int *y, const int *z)
{
#pragma acc parallel loop gang
    for (int i = 0; i < n; i++) {
        x[at[i]] = 2;
        y[at[i]] = z[at[i]] + 1;
        x[at[i]] += z[at[i]] - 1;
    }
}

static void structs(int n, const int *at, const struct pair *from, struct pair *to)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        to[at[i]].first = 1;
        to[at[i]].second = from[at[i]].first + 1;
        to[at[i]].first += from[at[i]].second;
    }
}

/* What was read once is not read again behind a store by another name. */
static void read_once(int n, const int *at, const int *x, int *y)
{
#pragma acc kernels loop independent
    for (int i = 0; i < n; i++) {
        int old = x[i * M];
        for (int j = 0; j < M; j++)
            y[at[i] * M + j] = 2 * old + j;
    }
}

/* Nor do loops of an iteration change places, as they would where names were apart. */
static void inside(int n, const int *at, const int *x, int *y)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        for (int k = 0; k < M; k++)
            for (int j = 0; j < M; j++)
                y[at[i] * M + j] += x[i * M + k];
}

/* What the iteration before had isn't looked up again either. */
static void differences(int n, const int *at, const int *x, int *y)
{
#pragma acc kernels loop independent
    for (int i = 0; i < n; i++) {
        int last = 0;
        for (int j = 0; j < M; j++) {
            int here = x[i * M + j];
            y[at[i] * M + j] = here - last;
            last = here;
        }
    }
}

/* What runs how often is the variable's that the loop may store to. */
static void scattered(int n, const int *at, int *y)
{
    scanf("", &n);
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        y[at[i]] = 4;
}

/* No pair may meet: restrict says so. */
static void apart(int n, int length, const int *restrict in, int *restrict out)
{
#pragma acc parallel loop
    for (int b = 0; b < n; b++) {
        int sum = 0, end = (b + 1) * length < N ? (b + 1) * length : N;
        for (int i = b * length; i < end; i++)
            out[i] = sum += in[i];
    }
}

/* One array meets itself, as it was promised not to. */
static void exchanges(int n, int distance, int *a)
{
#pragma acc parallel loop independent
    for (int i = 0; i < n; i++) {
        int other = i ^ distance;
        if (other > i && a[i] > a[other]) {
            int low = a[other];
            a[other] = a[i];
            a[i] = low;
        }
    }
}

static double gathered(int n, const long *at, const double *x)
{
    double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[at[i]];
    return sum;
}

/* What `inside` leaves of ones. */
static int expected(int at)
{
    int row[M];
    for (int j = 0; j < M; j++)
        row[j] = 1;
    for (int k = 0; k < M; k++)
        for (int j = 0; j < M; j++)
            row[j] += row[k];
    return row[at];
}

int main(void)
{
    static double d[N], other[N];
    static int a[N * M], row[N + 1], at[N];
    static unsigned before[N * M];
    static long column[3 * N];
    static struct pair pairs[N];
    int wrong[15] = {0}, sorted[256];

    for (int i = 0; i < N; i++) {
        row[i + 1] = 3 * (i + 1);
        at[i] = i;
        d[i] = 1;
        other[i] = i % 10;
        for (int k = 0; k < 3; k++)
            column[3 * i + k] = i;
    }
    rows(N, row, column, d, d);
    for (int i = 0; i < N; i++)
        wrong[0] += d[i] != 8;
    stored_and_read(N, at, a, a);
    for (int i = 0; i < N; i++)
        wrong[1] += a[i] != 7;
    for (int i = 0; i < N * M; i++) {
        a[i] = 1;
        before[i] = i - 1;
    }
    chain(N, before, a, a);
    for (int i = 0; i < N; i++)
        wrong[2] += a[i * M + M - 1] != 120;
    a[0] = 1;
    no_promise(N - 1, at, a, a + 1);
    wrong[3] = a[5] != 6 || a[N - 1] != N;
    for (int i = 0; i < N; i++)
        a[i] = 2;
    inner_promise(N, at, a, a);
    for (int i = 0; i < N; i++)
        wrong[4] += a[i] != 5;
    three(N, at, a, a, a);
    for (int i = 0; i < N; i++)
        wrong[5] += a[i] != 5;
    structs(N, at, pairs, pairs);
    for (int i = 0; i < N; i++)
        wrong[6] += pairs[i].first != 3 || pairs[i].second != 2;
    scattered(N, at, a);
    for (int i = 0; i < N; i++)
        wrong[7] += a[i] != 4;
    for (int i = 0; i < N; i++)
        before[i] = 1;
    apart(N / 10, 10, (int *)before, a);
    for (int i = 0; i < N; i++)
        wrong[8] += a[i] != i % 10 + 1;
    for (int i = 0; i < 256; i++)
        sorted[i] = 255 - i;
    for (int distance = 128; distance; distance /= 2)
        exchanges(256, distance, sorted);
    for (int i = 0; i < 256; i++)
        wrong[9] += sorted[i] != i;
    wrong[10] = gathered(N, column, other) != 1350;
    for (int i = 0; i < N; i++) {
        a[i] = 1;
        at[i] = i < N / 2 ? 2 * i : 2 * (i - N / 2 + 1) % N;
    }
    turned(N / 2, at, a, a);
    for (int i = 0; i < N; i++)
        wrong[11] += a[i] != 2 + i % 2;
    for (int i = 0; i < N * M; i++) {
        a[i] = 5;
        at[i / M] = i / M;
    }
    read_once(N, at, a, a);
    for (int i = 0; i < N * M; i++)
        wrong[12] += a[i] != 10 + i % M;
    for (int i = 0; i < N * M; i++)
        a[i] = 1;
    inside(N, at, a, a);
    for (int i = 0; i < N * M; i++)
        wrong[13] += a[i] != expected(i % M);
    for (int i = 0; i < N * M; i++)
        a[i] = i % M * (i % M);
    differences(N, at, a, a);
    for (int i = 0; i < N * M; i++)
        wrong[14] += a[i] != (i % M > 0 ? 2 * (i % M) - 1 : 0);
    for (int k = 0; k < 15; k++)
        printf("%d%c", wrong[k], k < 14 ? ' ' : '\n');
    return 0;
}
