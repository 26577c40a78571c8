// What columns add up as they go down many rows, a few of them at a time: whatever stands before and behind that loop,
// however many columns and rows there are, each column adds up in the program's order.
// prints: sums 0 0 0 0
// prints: averages 0 0
// prints: kept 0 0 0 0 0
// prints: upwards 0
// prints: edges 0 0 0
// launches: 27
// plainly launches: 24
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 75, COLUMNS = 5000, EXACT = 4992, PITCH = 5003 };
static float a[ROWS + 1][PITCH], expected[PITCH], y[PITCH], u[ROWS + 1];
static double b[ROWS][EXACT], z[EXACT], known[EXACT];

static void fill(void)
{
    for (int i = 0; i <= ROWS; i++) {
        u[i] = (float)(i % 5) / 3.0f;
        for (int j = 0; j < PITCH; j++)
            a[i][j] = (float)((i * 7 + j * 3) % 23) / 7.0f;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < EXACT; j++)
            b[i][j] = (double)((i * 5 + j) % 19) / 11.0;
    for (int j = 0; j < PITCH; j++)
        y[j] = (float)(j % 3);
}

static int differences(int first, int last)
{
    int found = 0;
    for (int j = 0; j < PITCH; j++)
        found += j < first || j > last ? y[j] != (float)(j % 3) : y[j] != expected[j];
    return found;
}

/* From `first` column to `last`, the first `rows` rows. */
static int sums(int first, int last, int rows)
{
    for (int j = first; j <= last; j++) {
        expected[j] = y[j] = (float)(j % 3);
        for (int i = 0; i < rows; i++)
            expected[j] += u[i] * a[i][j];
    }
#pragma acc parallel loop
    for (int j = first; j <= last; j++)
        for (int i = 0; i < rows; i++)
            y[j] += u[i] * a[i][j];
    int found = differences(first, last);
    for (int j = first; j <= last; j++)
        y[j] = (float)(j % 3);
    return found;
}

/* Sizes that the compiler knows; something before and behind. */
static int averages(void)
{
#pragma acc kernels
    for (int j = 0; j < EXACT; j++) {
        z[j] = j;
        for (int i = 0; i < ROWS; i++) {
            double now = b[i][j];
            z[j] += now;
        }
        z[j] /= ROWS;
    }
    int found = 0;
    for (int j = 0; j < EXACT; j++) {
        known[j] = j;
        for (int i = 0; i < ROWS; i++)
            known[j] += b[i][j];
        known[j] /= ROWS;
        found += known[j] != z[j];
    }
    return found;
}

/* What a column has in variables goes on from row to row. */
static int kept(int way)
{
    int found = 0;
#pragma acc parallel loop
    for (int j = 0; j < EXACT; j++) {
        double last = j, scale = way;
        z[j] = 0;
        for (int i = 0; i < ROWS; i++) {
            double now = b[i][j] * scale;
            z[j] += way > 2 ? now + last : now;
            if (way > 1)
                last = now;
        }
        if (way > 3)
            z[j] -= last;
    }
    for (int j = 0; j < EXACT; j++) {
        double last = j, sum = 0;
        for (int i = 0; i < ROWS; i++) {
            double now = b[i][j] * way;
            sum += way > 2 ? now + last : now;
            if (way > 1)
                last = now;
        }
        found += z[j] != (way > 3 ? sum - last : sum);
    }
    return found;
}

/* Upwards, with what two rows before left behind: a block of statements. */
static int upwards(void)
{
    static double shifted[ROWS][EXACT];
    double one, two;
    int found = 0;
#pragma acc parallel loop private(one, two)
    for (int j = 0; j < EXACT; j++) {
        one = two = j;
        for (int i = ROWS - 1; i >= 0; i--) {
            shifted[i][j] = two;
            two = one;
            one = b[i][j];
        }
    }
    for (int j = 0; j < EXACT; j++)
        for (int i = 0; i < ROWS; i++)
            found += shifted[i][j] != (i > ROWS - 3 ? j : b[i + 2][j]);
    return found;
}

int main(void)
{
    fill();
    printf("sums %d %d %d %d\n", sums(0, COLUMNS - 1, ROWS), sums(0, PITCH - 1, ROWS - 1), sums(3, 2 * COLUMNS / 3, 66),
           sums(17, 1400, ROWS - 3));
    printf("averages %d %d\n", averages(), averages());
    printf("kept %d %d %d %d %d\n", kept(0), kept(1), kept(2), kept(3), kept(4));
    printf("upwards %d\n", upwards());
    int few = 0, empty = 0, narrow = 0;
    for (int rows = 0; rows < 10; rows++)
        few += sums(0, 2999, rows);
    for (int columns = 1; columns < 3; columns++)
        narrow += sums(40, 39 + columns, ROWS);
    for (int none = 0; none < 3; none++)
        empty += sums(5, 4 - none, ROWS);
    printf("edges %d %d %d\n", few, narrow, empty);
    return 0;
}
