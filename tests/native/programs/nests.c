// Register tiles, packing, squares turned in registers, stencils and split sums, against the loops themselves.
// prints: 0 0 0 0 0 0
// launches: 10
#include <stdio.h>
#include <stdlib.h>

enum { N = 203, LONG = 40000 };
static float a[N][N], b[N][N], product[N][N], turned[N][N], blurred[N][N];
static int v[N], sums[N], flat[LONG];

/* Turns a matrix and counts what is wrong of it. */
static int turn(int rows, int columns, double to[columns][rows], double from[rows][columns])
{
    int wrong = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            from[i][j] = i * 2000.0 + j;
#pragma acc kernels copyin(from[0:rows][0:columns]) copyout(to[0:columns][0:rows])
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < rows; j++)
            to[i][j] = from[j][i];
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < rows; j++)
            wrong += to[i][j] != j * 2000.0 + i;
    return wrong;
}

int main(void)
{
    static double from[800 * 700], to[800 * 700];
    static const int shapes[][2] = {{700, 777}, {3, 1500}, {1100, 5}, {513, 256}};
    int wrong[6] = {0};
    long sum = 0, hosts = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (float)((i * 7 + j) % 9);
            b[i][j] = (float)((i + j * 5) % 8);
            v[j] = j % 5;
        }
    for (int i = 0; i < LONG; i++)
        flat[i] = i % 100;
#pragma acc kernels copyin(a, b) copyout(product)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float dot = 0;
            for (int k = 0; k < N; k++)
                dot += a[i][k] * b[k][j];
            product[i][j] = dot;
        }
#pragma acc kernels copyin(a) copyout(turned)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            turned[i][j] = a[j][i];
#pragma acc kernels copyin(a) copyout(blurred)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            blurred[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
#pragma acc kernels copyin(a, v) copyout(sums)
    for (int i = 0; i < N; i++) {
        int row = 0;
        for (int j = 0; j < N; j++)
            row += (int)a[i][j] * v[j];
        sums[i] = row;
    }
#pragma acc parallel loop reduction(+:sum) copyin(flat)
    for (int i = 0; i < LONG; i++)
        sum += flat[i];
    for (int i = 0; i < N; i++) {
        int row = 0;
        for (int j = 0; j < N; j++) {
            float dot = 0;
            for (int k = 0; k < N; k++)
                dot += a[i][k] * b[k][j];
            row += (int)a[i][j] * v[j];
            wrong[0] += product[i][j] != dot;
            wrong[1] += turned[i][j] != a[j][i];
            if (i > 0 && j > 0 && i < N - 1 && j < N - 1)
                wrong[2] += blurred[i][j] != 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        }
        wrong[3] += sums[i] != row;
    }
    for (int i = 0; i < LONG; i++)
        hosts += flat[i];
    wrong[4] = sum != hosts;
    for (int i = 0; i < 4; i++) {
        int rows = shapes[i][0], columns = shapes[i][1];
        wrong[5] += turn(rows, columns, (double(*)[rows])to, (double(*)[columns])from);
    }
    printf("%d %d %d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4], wrong[5]);
    return 0;
}
