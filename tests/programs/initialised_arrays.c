// Arrays whose initialisers tell their lengths, in all of C's forms, used in regions behind them.
// prints: 10500 759 1782 3112
// launches: 4
#include <stdio.h>

static double a[110], b[110];

static double sum(int n, const double *x)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += x[i];
    return total;
}

static void offsets(int n, const int *begin)
{
    const int margin[] = {begin[0] + 1, begin[1] + 1};
    int places[] = {3, 4, 5};
#pragma acc kernels
    for (int j = 0; j < n; j++)
        b[j + margin[1]] = a[j + places[2]] + a[j + margin[0]];
}

static void weights(int n)
{
    int table[][2] = {{1, 2}, {3, 4}, {5, 6}};
#pragma acc kernels
    for (int j = 0; j < n; j++)
        b[j] = table[j % 3][1] * a[j % 2] + (double)j / 3 * (j % 3 == 0);
}

static void letters(int n)
{
    char word[] = "abc";
    int named[] = {[2] = 1};
#pragma acc kernels
    for (int j = 0; j < n; j++)
        b[j] = word[j % 3] - 'a' + named[j % 3] - named[0] - named[2] * (j % 3 == 2) + (j % 3 ? 0 : j);
}

static void once(void)
{
    double values[2][3] = {{1, 2, 3}, {4, 5, 6}}, more[] = {1};
#pragma acc kernels
    for (int j = 0; j < 104; j++)
        b[j] = values[j % 2][j % 3] * 8 + more[0] + 1;
}

int main(void)
{
    int begin[] = {0, 1};
    for (int i = 0; i < 110; i++)
        a[i] = i;
    offsets(100, begin);
    printf("%g ", sum(100, b + 2));
    weights(100);
    printf("%g ", sum(100, b));
    letters(100);
    printf("%g ", sum(100, b));
    once();
    printf("%g\n", sum(104, b));
    return 0;
}
