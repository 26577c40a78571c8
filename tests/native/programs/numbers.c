// Every type and operator that kernels print in their own way, in vectors and alone.
// prints: 0 0 0 0 0 0 0 0 0 0
// prints: -73 -63
// launches: 14
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1013 };
struct cell { char tag; double mass; short kind[2]; };
static float x[N], y[N], fy[N];
static double d[N], e[N], fe[N];
static signed char c[N], fc[N];
static char p[1000], q[1000];
static unsigned short u[N], fu[N];
static long l[N], fl[N];
static _Bool t[N], ft[N];
static struct cell s[N], fs[N];

static double weight(double mass, int kind) { return kind > 1 ? mass / kind : fabs(mass); }

#define BODY(y, e, c, u, l, t, s)                                                                                      \
    y[i] = fminf(fabsf(x[i]), 2.5f) + fmaxf(floorf(x[i]), -3) + (x[i] < 0 ? ceilf(x[i]) : truncf(x[i]));               \
    e[i] = d[i] > 0 && x[i] < 3 ? sqrt(d[i]) + i : -d[i] * (x[i] > 1);                                                 \
    c[i] = c[i] * 3 + (signed char)x[i];                                                                               \
    u[i] = (u[i] >> 2) ^ (unsigned short)(i << 3);                                                                     \
    l[i] = l[i] / 7 + ((long)c[i] * 1048576) % 1000;                                                                       \
    t[i] = l[i] & 5;                                                                                                   \
    s[i].mass = weight(s[i].mass, s[i].kind[1]) + s[i].tag;                                                            \
    s[i].kind[0] -= t[i];

static void expect(void)
{
    for (int i = 0; i < N; i++) {
        BODY(fy, fe, fc, fu, fl, ft, fs)
    }
}

static int differ(const void *a, const void *b, size_t bytes)
{
    size_t found = 0;
    for (size_t k = 0; k < bytes; k++)
        found += ((const char *)a)[k] != ((const char *)b)[k];
    return found != 0;
}

static int cells_differ(void)
{
    for (int i = 0; i < N; i++)
        if (s[i].mass != fs[i].mass || s[i].kind[0] != fs[i].kind[0])
            return 1;
    return 0;
}

/* char is a type of its own. */
static void characters(void)
{
    char sum = 0;
    signed char signed_sum = 0;
    for (int i = 0; i < 1000; i++) {
        p[i] = i % 3;
        q[i] = i % 5;
        c[i] = -(i % 2);
        fc[i] = i % 7;
    }
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < 1000; i++)
        sum += p[i] + q[i];
#pragma acc parallel loop reduction(+:signed_sum)
    for (int i = 0; i < 1000; i++)
        signed_sum += c[i] + fc[i];
    printf("%d %d\n", (signed char)sum, signed_sum);
}

int main(void)
{
    double most = -1e30, hosts = -1e30, total = 0, hosts_total = 0;
    float least = 1e30f;
    int any = 0, bits = -1, hosts_bits = -1, taken[N] = {0};
    long bins[11] = {0}, product = 1, next = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (i - 500) * 0.37f;
        d[i] = i - 300.25;
        fc[i] = c[i] = (signed char)(i % 11);
        fu[i] = u[i] = (unsigned short)(i * 97);
        fl[i] = l[i] = (long)i << 35;
        s[i].tag = 'a';
        s[i].mass = -i;
        s[i].kind[0] = s[i].kind[1] = (short)(i % 4);
        fs[i] = s[i];
    }
    expect();
#pragma acc parallel loop copyin(x, d) copyout(y, e, t) copy(c, u, l, s)
    for (int i = 0; i < N; i++) {
        BODY(y, e, c, u, l, t, s)
    }
#pragma acc parallel loop reduction(max:most) reduction(min:least)
    for (int i = 0; i < N; i++) {
        most = fmax(most, e[i]);
        least = least < y[i] ? least : y[i];
    }
    for (int i = 0; i < N; i++)
        hosts = fmax(hosts, fe[i]);
#pragma acc parallel loop reduction(||:any) reduction(&:bits)
    for (int i = 0; i < N; i++) {
        any = any || c[i] == 77;
        bits &= l[i];
    }
    for (int i = 0; i < N; i++)
        hosts_bits &= fl[i];
#pragma acc parallel loop reduction(*:product)
    for (int i = 0; i < 20; i++)
        product *= i % 3 + 1;
#pragma acc parallel loop copy(bins)
    for (int i = 0; i < N; i++) {
#pragma acc atomic
        bins[i % 11]++;
    }
#pragma acc parallel loop copy(next, taken, total)
    for (int i = 0; i < N; i++) {
        long mine;
#pragma acc atomic capture
        mine = next++;
        taken[mine] += 1;
#pragma acc atomic
        total += i;
    }
    for (int i = 0; i < N; i++)
        hosts_total += i;
    for (int i = 0; i < N; i++)
        taken[0] += taken[i] != 1;
    for (int i = 0; i < N; i++)
        any += fc[i] == 77 ? 2 : 0;
    printf("%d %d %d %d %d %d %d %d %d %d\n", differ(y, fy, sizeof y), differ(e, fe, sizeof e), differ(c, fc, sizeof c),
           differ(u, fu, sizeof u) | differ(l, fl, sizeof l), differ(t, ft, sizeof t), cells_differ(), most != hosts,
           bits != hosts_bits || (any & 1) != (any > 1), bins[0] != 93 || bins[10] != 92 || product != 46656L * 2,
           total != hosts_total || taken[0] != 1 || next != N);
    characters();
    return 0;
}
