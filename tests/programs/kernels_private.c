// `private` on `kernels`, which the standard has on its loops only: programs say so of their iterators and temporaries.
// prints: 4950 49.5 90
// launches: 2
#include <stdio.h>

int main(void)
{
    static double a[100], b[100], c[10][10];
    int i, j;
    double t;
    for (i = 0; i < 100; i++)
        a[i] = i;
#pragma acc kernels copyin(a) copyout(b) private(i, t)
    {
#pragma acc loop independent
        for (i = 0; i < 100; i++) {
            t = a[i] / 2;
            b[i] = t + t;
        }
    }
#pragma acc kernels private(i, j)
    for (i = 0; i < 10; i++)
        for (j = 0; j < 10; j++)
            c[i][j] = b[10 * i + j] * .01;
    double sum = 0, all = 0;
    for (i = 0; i < 100; i++)
        sum += b[i];
    for (i = 0; i < 10; i++)
        for (j = 0; j < 10; j++)
            all += c[i][j];
    printf("%g %g %g\n", sum, all, b[90]);
    return 0;
}
