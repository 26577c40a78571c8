// Elements found at a place that a variable holds, computed upon in vectors and stored side by side.
// prints: 0 0 0
// launches: 3
#include <math.h>
#include <stdio.h>

enum { ROWS = 1003, COLUMNS = 37 };
static float table[ROWS * COLUMNS], single[ROWS];
static double whole[ROWS];
static int chosen[ROWS];
static struct { short first; float half; } pairs[ROWS];

static void negated(int rows, int columns)
{
#pragma acc kernels
    for (int r = 0; r < rows; r++) {
        const float *row = table + r * columns;
        int c = chosen[r];
        single[r] = -expf(row[c] / 1024);
    }
}

static void widened(int rows, int columns)
{
#pragma acc kernels
    for (int r = 0; r < rows; r++) {
        int c = columns - 1 - chosen[r];
        whole[r] = sin(table[r * columns + c]);
    }
}

static void in_pairs(int rows)
{
#pragma acc kernels
    for (int r = 0; r < rows; r++) {
        int c = chosen[r];
        pairs[r].half = expf(table[c] / 1024);
    }
}

int main(void)
{
    int wrong[3] = {0};

    for (int k = 0; k < ROWS * COLUMNS; k++)
        table[k] = (float)(k % 1009) + 0.25f;
    for (int r = 0; r < ROWS; r++)
        chosen[r] = r * 11 % COLUMNS;
    negated(ROWS, COLUMNS);
    widened(ROWS, COLUMNS);
    in_pairs(ROWS);
    for (int r = 0; r < ROWS; r++) {
        float up = table[r * COLUMNS + chosen[r]], half = expf(table[chosen[r]] / 1024);
        double far = sin(table[r * COLUMNS + COLUMNS - 1 - chosen[r]]);
        wrong[0] += fabsf(single[r] + expf(up / 1024)) > 1e-6f;
        wrong[1] += fabs(whole[r] - far) > 1e-14;
        wrong[2] += fabsf(pairs[r].half - half) > 1e-6f;
    }
    printf("%d %d %d\n", wrong[0], wrong[1], wrong[2]);
    return 0;
}
