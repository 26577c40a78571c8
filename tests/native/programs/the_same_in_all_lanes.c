// Values that all lanes have, in the greatest and the least of them.
// prints: -5.5 3 -7 1 12.25
// launches: 6
#include <math.h>
#include <stdio.h>

static double a[3000], b[3000];

int main(void)
{
    int n = 2999, most = 0;
    double low = 9, high = 3, other = 9, size = 0;
    a[44] = -7;
#pragma acc kernels
    for (int i = 2; i < n; i++) {
        if (1.5 + a[44] < low) low = 1.5 + a[44];
        if (b[i] > high) high = b[i];
    }
#pragma acc kernels
    for (int i = 2; i < n; i++)
        if (a[44] < other) other = a[44];
#pragma acc kernels
    for (int i = 2; i < n; i++) {
        double one = -fabs(a[44] - 5.25);
        size = -one > size ? -one : size;
        most = (n & 15) - 6 > most ? (n & 15) - 6 : most;
    }
    printf("%g %g %g %d %g\n", low, high, other, most, size);
}
