/* Data in one file, the loops that use them in another (WORK). */
#include <stdio.h>

void work(int n, int *restrict a);

#ifdef WORK
void work(int n, int *restrict a)
{
#pragma acc parallel loop present(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 2 * i;
}
#else
int main(void)
{
    static int a[5000];
    int wrong = 0;
#pragma acc data copy(a[0:5000])
    work(5000, a);
    for (int i = 0; i < 5000; i++)
        wrong += a[i] != 2 * i;
    printf("%d\n", wrong);
    return 0;
}
#endif
