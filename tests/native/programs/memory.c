// Data directives, device pointers and rows of a table, with kernels in the program's own memory.
// prints: 7 3 6
// prints: 12
// prints: 2.5
// prints: 0 2 4
// prints: 0 1 4
// launches: 6
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 1000, i, j;
    int *a = malloc(n * sizeof *a), *b = acc_malloc(n * sizeof *b);
    float *rows[3];
    int fresh[5] = {9, 9, 9, 9, 9};
    double sum = 0;

    for (i = 0; i < n; i++)
        a[i] = i % 3;
#pragma acc enter data copyin(a[0:n])
#pragma acc parallel loop present(a) deviceptr(b)
    for (i = 0; i < n; i++)
        b[i] = a[i] + 5;
#pragma acc parallel loop present(a)
    for (i = 0; i < n; i++)
        a[i] += 3;
#pragma acc exit data copyout(a[0:n])
    printf("%d %d %d\n", b[2], a[0], b[1]);
    a[0] = 12;
#pragma acc data copy(a[0:n])
    printf("%d\n", a[0]);
#pragma acc parallel loop reduction(+:sum) copyin(a[0:2])
    for (i = 0; i < 2; i++)
        sum += a[i] / 6.4;
    printf("%.4g\n", sum);
    for (i = 0; i < 3; i++)
        rows[i] = malloc((5 + i) * sizeof *rows[i]);
#pragma acc parallel loop collapse(2) copyout(rows[0:3][0:5])
    for (i = 0; i < 3; i++)
        for (j = 0; j < 5; j++)
            rows[i][j] = i * j;
    printf("%g %g %g\n", rows[0][4], rows[1][2], rows[2][2]);
#pragma acc parallel loop create(zero: fresh[0:5]) copyout(fresh[0:5])
    for (i = 0; i < 5; i++)
        fresh[i] += i;
    printf("%d %d %d\n", fresh[0], fresh[1], fresh[4]);
    acc_free(b);
    return 0;
}
