// What subscripts find in other arrays is looked at before kernels run, where nothing else keeps arrays apart: rows of sparse matrices, tables that are
// looked up, ends of edges. Nothing is read that the loops don't read, and whatever overlaps runs in the program's order.
// prints: 0 0 0 0 0 0 0 0
// launches: 9
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 3000, MOST = 8 * N };
struct sparse {
    int rows;
    const long *begin;
    const unsigned short *column;
    const float *value;
};
static int wrong[8];

/* Room for some bytes, before and behind which nothing is. */
static void *alone(size_t bytes, int at_the_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    char *pages = mmap(NULL, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + page, whole, PROT_READ | PROT_WRITE);
    return pages + page + (at_the_end ? whole - bytes : 0);
}

static void times(int n, int *begin, int *column, double *value, double *x, double *y)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = begin[i]; k < begin[i + 1]; k++)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

static void times_members(struct sparse *m, float *x, float *y)
{
#pragma acc kernels
    for (int i = 1; i <= m->rows; i++) {
        float sum = 0;
        for (long k = m->begin[i - 1]; k < m->begin[i]; k++) {
            int c = m->column[k];
            sum += m->value[k] * x[c + 1];
        }
        y[i] = sum;
    }
}

static void ranges(int n, int *begin, int *end, float *x, float *y)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = begin[i]; k < end[i]; k++)
            sum += x[k];
        y[i] = sum;
    }
}

static void embed(int count, int width, float *out, const int *which, const float *table)
{
#pragma acc kernels
    for (int t = 0; t < count; t++) {
        int row = which[t];
        for (int i = 0; i < width; i++)
            out[t * width + i] = table[row * width + i] + 1;
    }
}

static void edges(int count, const int *mark, signed char *step, double *x, double *force)
{
#pragma acc kernels
    for (int p = 0; p < count; p++)
        force[p] = x[mark[p]] - x[mark[count + p] + step[p] * 2];
}

static void chosen(int n, int *mask, int *which, int *x, int *y)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        int found = 0;
        if (mask[i])
            found = x[which[i]];
        y[i] = found;
    }
}

static void behind(int n, int *begin, float *x, float *y)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        int k;
        float sum = 0;
        for (k = begin[i]; k < begin[i + 1]; k++)
            sum += x[k];
        y[i] = sum + x[k];
    }
}

static void check(int number, const void *one, const void *other, size_t bytes)
{
    wrong[number] += memcmp(one, other, bytes) != 0;
}

int main(void)
{
    int *begin = alone((N + 1) * sizeof *begin, 0), *column = alone(MOST * sizeof *column, 1);
    double *value = alone(MOST * sizeof *value, 0), *x = alone(N * sizeof *x, 1), *y = alone(N * sizeof *y, 0), *z = calloc(2 * N, sizeof *z);
    unsigned short *narrow = alone(MOST * sizeof *narrow, 1);
    long *begin_long = alone((N + 1) * sizeof *begin_long, 1);
    float *value_float = alone(MOST * sizeof *value_float, 1), *u = calloc(N + 1, sizeof *u), *v = calloc(N + 1, sizeof *v), *w = calloc(N + 1, sizeof *w);
    int count = 0;
    for (int i = 0; i < N; i++) {
        begin[i] = count;
        begin_long[i] = count;
        for (int k = i % 17 == 3 || i == 0 ? 0 : i % 9; k > 0 && count < MOST; k--, count++) {
            column[count] = (i * 31 + k * 7) % N;
            narrow[count] = (unsigned short)((i * 31 + k * 7) % (N - 1));
            value[count] = value_float[count] = (float)(k - 3);
        }
        x[i] = i % 13;
        u[i] = (float)(i % 11);
    }
    begin[N] = count, begin_long[N] = count;
    /* nothing is behind the last number */
    memmove(column + MOST - count, column, count * sizeof *column);
    memmove(narrow + MOST - count, narrow, count * sizeof *narrow);
    memmove(value_float + MOST - count, value_float, count * sizeof *value_float);
    column += MOST - count, narrow += MOST - count, value_float += MOST - count;

    /* rows, some and all of which are empty, and none; and where they don't rise, and where results overlap */
    for (int turn = 0; turn < 7; turn++) {
        int n = turn == 2 ? 0 : turn == 3 ? 1 : N;
        int *used = turn == 2 ? NULL : begin;
        double *to = turn == 5 ? x : turn == 6 ? value + 40 : y;
        int kept = begin[20];
        double *before_x = calloc(N, sizeof *x), *before_value = calloc(MOST, sizeof *value);
        if (turn == 4)
            begin[20] = begin[21] + 1;
        memcpy(before_x, x, N * sizeof *x);
        memcpy(before_value, value, MOST * sizeof *value);
        times(n, used, turn == 2 ? NULL : column, value, x, to);
        memcpy(z, to, N * sizeof *z);
        memcpy(x, before_x, N * sizeof *x);
        memcpy(value, before_value, MOST * sizeof *value);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = begin[i]; k < begin[i + 1]; k++)
                sum += value[k] * x[column[k]];
            to[i] = sum;
        }
        check(turn < 5 ? 0 : 1, to, z, n * sizeof *z);
        memcpy(x, before_x, N * sizeof *x);
        memcpy(value, before_value, MOST * sizeof *value);
        begin[20] = kept;
        free(before_x), free(before_value);
    }

    struct sparse m = {N, begin_long, narrow, value_float};
    times_members(&m, u, v);
    for (int i = 1; i <= N; i++) {
        w[i] = 0;
        for (long k = begin_long[i - 1]; k < begin_long[i]; k++)
            w[i] += value_float[k] * u[narrow[k] + 1];
    }
    check(2, v + 1, w + 1, N * sizeof *w);

    /* rows that begin anywhere, those without elements nowhere */
    int *from = malloc(N * sizeof *from), *to = malloc(N * sizeof *to);
    for (int i = 0; i < N; i++)
        from[i] = (N - i) * 7 % (N - 5), to[i] = from[i] + i % 6;
    for (int turn = 0; turn < 2; turn++) {
        if (turn)
            from[5] = to[5] = -(1 << 20);
        ranges(N, from, to, u, v);
        for (int i = 0; i < N; i++) {
            w[i] = 0;
            for (int k = from[i]; k < to[i]; k++)
                w[i] += u[k];
        }
        check(3, v, w, N * sizeof *w);
    }

    /* rows of a table, and results that lie in the table */
    enum { ROWS = 60, WIDTH = 50 };
    float *table = calloc(2 * ROWS * WIDTH, sizeof *table), *same = calloc(2 * ROWS * WIDTH, sizeof *same);
    int which[ROWS];
    for (int turn = 0; turn < 3; turn++) {
        float *out = turn == 1 ? table + 7 * WIDTH : turn == 2 ? table + ROWS * WIDTH : v, *copy = turn ? same + (out - table) : w;
        for (int i = 0; i < 2 * ROWS * WIDTH; i++)
            table[i] = same[i] = (float)(i % 101);
        for (int t = 0; t < ROWS; t++)
            which[t] = t * 17 % ROWS;
        embed(ROWS, WIDTH, out, which, table);
        for (int t = 0; t < ROWS; t++)
            for (int i = 0; i < WIDTH; i++)
                copy[t * WIDTH + i] = (turn ? same : table)[which[t] * WIDTH + i] + 1;
        check(4, out, copy, ROWS * WIDTH * sizeof *out);
    }

    /* both ends of edges: signed steps lead before the array that is meant */
    enum { EDGES = N / 2 };
    int *mark = malloc(2 * EDGES * sizeof *mark);
    signed char *step = malloc(EDGES);
    for (int p = 0; p < EDGES; p++) {
        step[p] = (signed char)(p % 5 - 2);
        mark[p] = p * 5 % N, mark[EDGES + p] = 4 + p * 3 % (N - 8);
    }
    for (int turn = 0; turn < 2; turn++) {
        double *force = turn ? x + N - EDGES : y, *expected = z;
        double *kept = malloc(N * sizeof *kept);
        memcpy(kept, x, N * sizeof *x);
        edges(EDGES, mark, step, x, force);
        memcpy(expected, force, EDGES * sizeof *expected);
        memcpy(x, kept, N * sizeof *x);
        for (int p = 0; p < EDGES; p++)
            force[p] = x[mark[p]] - x[mark[EDGES + p] + step[p] * 2];
        check(5, force, expected, EDGES * sizeof *expected);
        memcpy(x, kept, N * sizeof *x);
        free(kept);
    }

    /* indices that are not always read, and may be anything then: not looked at */
    int *mask = malloc(N * sizeof *mask), *numbers = malloc(N * sizeof *numbers), *out = malloc(N * sizeof *out);
    for (int i = 0; i < N; i++)
        mask[i] = i % 3 == 0, from[i] = mask[i] ? (i * 7) % N : -(1 << 25), numbers[i] = i;
    chosen(N, mask, from, numbers, out);
    for (int i = 0; i < N; i++)
        wrong[6] += out[i] != (mask[i] ? numbers[from[i]] : 0);

    /* iterators that are read behind their loops reach further */
    begin[N] = count;
    for (int i = 0; i <= N; i++)
        begin[i] = i * 2 / 3;
    behind(N, begin, u, v);
    for (int i = 0; i < N; i++) {
        int k;
        w[i] = 0;
        for (k = begin[i]; k < begin[i + 1]; k++)
            w[i] += u[k];
        w[i] += u[k];
    }
    check(7, v, w, N * sizeof *w);

    for (int k = 0; k < 8; k++)
        printf("%d%s", wrong[k], k < 7 ? " " : "\n");
    return 0;
}
