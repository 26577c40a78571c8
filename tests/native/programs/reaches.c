// Arrays behind pointers whose subscripts have but few values: groups update copies of them, though less may be there.
// prints: 0 0 0 0 0
// launches: 3
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 50000, BINS = 100 };
static unsigned char key[N];
static signed char either[N];

/* Room for some elements, behind which nothing is. */
static void *before_nothing(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + page, page);
    return pages + page - bytes;
}

static void count(int n, const unsigned char *k, int *bins)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
#pragma acc atomic update
        bins[k[i]]++;
    }
}

static void around(int n, const signed char *k, double *middle)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
#pragma acc atomic
        middle[k[i] - 1] += 0.5;
    }
}

static void letters(int n, const unsigned char *k, unsigned *seen, long *sums)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++) {
        unsigned hash = (k[i] + 1u) * 2654435761u;
#pragma acc atomic
        seen[hash >> 28] |= 1u << k[i] % 32;
#pragma acc atomic
        sums[i % 7 & 3] -= k[i];
    }
}

int main(void)
{
    int *bins = before_nothing(BINS * sizeof *bins), wrong[5] = {0}, all = 0;
    double *halves = (double *)before_nothing(64 * sizeof *halves) + 32, whole = 0;
    unsigned *seen = before_nothing(16 * sizeof *seen), both = 0;
    long *sums = before_nothing(4 * sizeof *sums), sum = 0;

    for (int i = 0; i < N; i++) {
        key[i] = (unsigned char)(i % BINS);
        either[i] = (signed char)(i % 60 - 30);
    }
    count(N, key, bins);
    for (int i = 0; i < BINS; i++) {
        wrong[0] += bins[i] != N / BINS;
        all += bins[i];
    }
    wrong[0] += all != N;
    around(N, either, halves);
    for (int i = -32; i < 32; i++)
        whole += halves[i];
    wrong[1] = whole != N / 2 || halves[-32] != 0 || halves[-31] == 0 || halves[28] == 0;
    letters(N, key, seen, sums);
    for (int i = 0; i < 16; i++)
        both |= seen[i];
    for (int i = 0; i < 4; i++)
        sum += sums[i];
    wrong[2] = both != ~0u;
    wrong[3] = sum != -99l * N / 2;
    bins[0] = 3;
    count(sizeof(int), (unsigned char *)bins, bins); /* itself, which the host does in order */
    wrong[4] = bins[0] != 6 || bins[3] != N / BINS + 1;
    for (int k = 0; k < 5; k++)
        printf("%d%c", wrong[k], k < 4 ? ' ' : '\n');
    return 0;
}
