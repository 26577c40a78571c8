// Structs that are not there, as the loops don't come to them.
// prints: 100 100 0 4950
// launches: 4
#include <stdio.h>

typedef struct {
    int n, k;
    float *x;
    struct part {
        int m;
    } *part;
} numbers;

static void far(numbers *s, int m, float *restrict y)
{
#pragma acc kernels
    for (int i = 0; i < m; i++) {
        y[i] = 1;
        if (i > 1000000) y[i] = s->n + s->part->m;
    }
}

static void by_data(numbers *s, int m, float *restrict y)
{
#pragma acc kernels
    for (int i = 0; i < m; i++) {
        y[i] = i < 50 ? 1 : y[i];
        if (y[i] > 1000000) y[i] = s->n;
    }
}

static void from(int first, numbers *s, int m, float *restrict y)
{
#pragma acc kernels
    for (int i = 0; i < m; i++) {
        y[i] = 0;
        if (i >= first)
            for (int j = 0; j < s->n; j++) y[i] += s->x[j] * s->k;
    }
}

static float sum(const float *y)
{
    float total = 0;
    for (int i = 0; i < 100; i++) total += y[i];
    return total;
}

int main(void)
{
    static float x[100], y[100];
    numbers there = {100, 1, x, 0};
    for (int i = 0; i < 100; i++) x[i] = i;
    far(0, 100, y);
    printf("%g ", sum(y));
    by_data(0, 100, y);
    printf("%g ", sum(y));
    from(1000, 0, 100, y);
    printf("%g ", sum(y));
    from(99, &there, 100, y);
    printf("%g\n", sum(y));
}
