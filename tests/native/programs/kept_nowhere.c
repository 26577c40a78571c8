// What counts nothing touches nothing, for there may be nothing; a count among what is counted is the host's.
// prints: 0 0 0 0 0 0 0 0 0
// prints: 4 13 -2147483648
// launches: 144
#define SIZES 0, 1, 2, 49
#define main others
#include "../../programs/kept_in_memory.c"
#undef main

static void counted_in(int *count, const int *a, int n)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        if (a[i] > 10) (*count)++;
}

static void greatest(int *most, const int *a, int n)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        if (a[i] > *most) *most = a[i];
}

int main(void)
{
    static int a[1000];
    others();
    for (int i = 0; i < 1000; i++) a[i] = i % 10;
    counted_in(0, a, 1000);
    counted_in(0, 0, 0);
    for (int i = 0; i < 1000; i += 250) a[i] = 12;
    int count = 0, most = -2147483647 - 1;
    counted_in(&count, a, 1000);
    a[500] = 9;
    counted_in(a + 500, a, 1000);
    greatest(&most, a, 0);
    greatest(0, a, 0);
    printf("%d %d %d\n", count, a[500], most);
}
