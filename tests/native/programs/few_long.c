// Iterations that have loops of their own, of lengths that only the data tell: each is a work-group where there are few.
// prints: 0 0 0
// launches: 7
#include <stdio.h>
#include <string.h>

enum { MOST = 300, LENGTH = 500 };
static int ends[MOST][2];
static double x[MOST][LENGTH], y[MOST][LENGTH];

static void frame(int n, double a[restrict][LENGTH])
{
#pragma acc parallel loop
    for (int l = 0; l < n; l++)
#pragma acc loop
        for (int j = ends[l][0]; j < ends[l][1]; j++)
            a[l][j] = a[l][j] / 3 + l;
}

/* each iteration sums up in order what it finds */
static void scans(int n, double a[restrict][LENGTH])
{
#pragma acc kernels
    for (int l = 0; l < n; l++)
        for (int j = 1; j < LENGTH; j++)
            a[l][j] = a[l][j - 1] / 2 + a[l][j];
}

static void eight(double a[restrict][LENGTH])
{
#pragma acc kernels
    for (int l = 0; l < 8; l++)
        for (int j = 1; j < LENGTH; j++)
            a[l][j] = a[l][j - 1] / 4 - a[l][j];
}

static int differ(void) { return memcmp(x, y, sizeof x) != 0; }

int main(void)
{
    int counts[] = {5, 40, 300}, wrong[3] = {0};
    for (int l = 0; l < MOST; l++) {
        ends[l][0] = l % 7, ends[l][1] = LENGTH - l;
        for (int j = 0; j < LENGTH; j++)
            x[l][j] = y[l][j] = (l * 3 + j) % 17;
    }
    for (int k = 0; k < 3; k++) {
        frame(counts[k], x);
        for (int l = 0; l < counts[k]; l++)
            for (int j = ends[l][0]; j < ends[l][1]; j++)
                y[l][j] = y[l][j] / 3 + l;
        wrong[0] += differ();
        scans(counts[k], x);
        for (int l = 0; l < counts[k]; l++)
            for (int j = 1; j < LENGTH; j++)
                y[l][j] = y[l][j - 1] / 2 + y[l][j];
        wrong[1] += differ();
    }
    eight(x);
    for (int l = 0; l < 8; l++)
        for (int j = 1; j < LENGTH; j++)
            y[l][j] = y[l][j - 1] / 4 - y[l][j];
    wrong[2] += differ();
    printf("%d %d %d\n", wrong[0], wrong[1], wrong[2]);
    return 0;
}
