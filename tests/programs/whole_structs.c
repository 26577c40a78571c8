// Structs of the program that kernels copy as a whole, or of which they copy a part.
// prints: -857503592317758713
// launches: 5
#include <stdio.h>

typedef struct {
    unsigned char r, g, b;
} color;
typedef struct {
    color c;
    int k;
} both;

static void plain(int n, color back, color *p)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        p[i] = back;
}

static void sometimes(int n, color back, color *p, const unsigned char *t)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        if (t[i] == 0)
            p[i] = back;
        else
            p[i].r = t[i];
}

static void by_pointer(int n, const color *back, color *p, const unsigned char *t)
{
#pragma acc kernels
    for (int i = 0; i < n; i++)
        if (t[i] == 0)
            p[i] = *back;
        else
            p[i].r = back->g;
}

static void member(int n, const both *from, color *p, const unsigned char *t)
{
    both own = *from;
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        color c = own.c;
        if (t[i])
            c.g = t[i];
        p[i] = c;
    }
}

static void declared(int n, color back, color *p, const unsigned char *t)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        color c = back;
        c.g += t[i];
        p[i] = c;
    }
}

int main(void)
{
    static color p[50];
    static unsigned char t[50];
    color b = {1, 2, 3};
    both w = {{7, 8, 9}, 3};
    unsigned long s = 0;
    for (int i = 0; i < 50; i++)
        t[i] = i % 3;
#define SUM                                                                                                            \
    for (int i = 0; i < 50; i++)                                                                                       \
        s = s * 3 + p[i].r + 7 * p[i].g + 11 * p[i].b;
    plain(50, b, p);
    SUM sometimes(50, b, p, t);
    SUM by_pointer(50, &b, p, t);
    SUM member(50, &w, p, t);
    SUM declared(50, b, p, t);
    SUM printf("%ld\n", (long)s);
    return 0;
}
