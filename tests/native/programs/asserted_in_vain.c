// Where what ends the program is reached, the host's loops run, and it ends where it would have: what comes before has happened.
// prints: 6 7 10 10 7 7 5 3
// launches: 0
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100 };

static void checked(int n, int *restrict x, int most)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        assert(i < most);
        x[i] = i + 1;
    }
}

static void ending(int n, int *restrict x, int most)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        if (i == most) exit(i);
        x[i] = i + 1;
    }
}

static void never(int n, int *restrict x, int most)
{
#pragma acc kernels
    for (int i = 0; i < n; i++) {
        if (x[i] == -1) exit(5);
        x[i] = i < most ? i : -1;
    }
}

static int *shared;

static void ends(void (*loops)(int, int *, int), int most, int first, const char *behind)
{
    memset(shared, 0, N * sizeof *shared);
    shared[N - 1] = first;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr)) _exit(99);
        loops(N, shared, most);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int done = 0;
    while (done < N && shared[done] != first && (done == 0 || shared[done] != 0)) done++;
    printf("%d %d%s", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), done, behind);
}

int main(void)
{
    shared = mmap(0, N * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    ends(checked, 7, 0, " ");
    ends(ending, 10, 0, " ");
    ends(ending, 7, 0, " ");
    ends(never, 3, -1, "\n");
}
