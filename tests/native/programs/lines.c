// Rows that are stored from any place in a line of the cache on, and end anywhere: vectors begin where lines do, and
// nothing before or behind is touched. A sum beside what is stored counts each iteration once.
// prints: 0 0 0
// launches: 120
#include <stdio.h>

#define ROWS 20
#define WIDE 331

static float a[ROWS][WIDE], b[ROWS][WIDE];
static double d[ROWS][WIDE], e[ROWS][WIDE], totals[ROWS];

static void floats(int pivot, int first, int end)
{
#pragma acc parallel loop
    for (int i = pivot + 1; i < ROWS; i++) {
        a[i][first] /= 2;
        for (int j = first + 1; j < end; j++)
            a[i][j] -= a[i][first] * a[pivot][j];
    }
}

static void doubles(int pivot, int first, int end)
{
#pragma acc parallel loop
    for (int i = pivot + 1; i < ROWS; i++) {
        d[i][first] /= 2;
        for (int j = first + 1; j < end; j++)
            d[i][j] -= d[i][first] * d[pivot][j];
    }
}

static void summed(int first, int end)
{
#pragma acc parallel loop
    for (int i = 0; i < ROWS; i++) {
        double total = 0;
#pragma acc loop reduction(+:total)
        for (int j = first; j < end; j++) {
            e[i][j] += d[i][j];
            total += e[i][j];
        }
        totals[i] = total;
    }
}

/* Small integers, by which all of that is exact. */
static void start(void)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < WIDE; j++) {
            a[i][j] = b[i][j] = (float)(2 * ((i * 7 + j) % 5));
            d[i][j] = e[i][j] = 2 * ((i * 5 + j) % 7);
        }
}

static int wrong_products(int first, int end)
{
    int found = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < WIDE; j++) {
            float half = (float)(2 * ((i * 7 + first) % 5)) / 2, expected = b[i][j];
            double half_d = (i * 5 + first) % 7, expected_d = 2 * ((i * 5 + j) % 7);
            if (i && j == first) {
                expected = half;
                expected_d = half_d;
            } else if (i && j > first && j < end) {
                expected -= half * b[0][j];
                expected_d -= half_d * (2 * (j % 7));
            }
            found += a[i][j] != expected || d[i][j] != expected_d;
        }
    return found;
}

static int wrong_sums(int first, int end)
{
    int found = 0;
    for (int i = 0; i < ROWS; i++) {
        double total = 0;
        for (int j = 0; j < WIDE; j++) {
            int inside = j >= first && j < end;
            double expected = 2 * ((i * 5 + j) % 7) + (inside ? d[i][j] : 0);
            found += e[i][j] != expected;
            total += inside ? expected : 0;
        }
        found += totals[i] != total;
    }
    return found;
}

int main(void)
{
    static const int ends[] = {0, 1, 64, WIDE - 17, WIDE};
    int products = 0, sums = 0, empty = 0;
    for (int first = 0; first < 80; first += 10)
        for (int k = 0; k < 5; k++) {
            int end = ends[k] < 3 ? first + 1 + ends[k] * 23 : ends[k];
            start();
            floats(0, first, end);
            doubles(0, first, end);
            products += wrong_products(first, end);
            summed(first, end);
            sums += wrong_sums(first, end);
            empty += end <= first && totals[0] != 0;
        }
    printf("%d %d %d\n", products, sums, empty);
    return 0;
}
