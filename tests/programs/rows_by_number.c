// Rows that a number picks from a table of pointers, in variables, structs and arrays of structs, are apart.
// prints: 0 0 0 0 0 0 0
// launches: 7
#include <stdio.h>
#include <string.h>

enum { N = 60 };
struct one {
    float *part;
};
struct all {
    float **rows;
    float *kept[3];
    struct one ones[3];
    void (*unused[2])(int);
};
static float a[3][N], got[N], wanted[N];

#define BOTH(name, parameters, ...)                                                                                    \
    static void name parameters                                                                                        \
    {                                                                                                                  \
        _Pragma("acc kernels") __VA_ARGS__                                                                             \
    }                                                                                                                  \
    static void name##_plainly parameters { __VA_ARGS__ }

BOTH(table, (int n, float **m, float *y), for (int i = 0; i < n; i++) y[i] = m[0][i] + 10 * m[1][i] - m[2][n - 1 - i];)
BOTH(in_struct, (int n, struct all *c, float *y), for (int i = 0; i < n; i++) y[i] = c->rows[0][i] + 10 * c->rows[1][i];)
BOTH(kept, (int n, struct all *c, float *y), for (int i = 0; i < n; i++) y[i] = c->kept[0][i] + 10 * c->kept[1][i];)
BOTH(by_value, (int n, struct all c, float *y), for (int i = 0; i < n; i++) y[i] = c.kept[2][i] + 10 * c.rows[2][i];)
BOTH(inner, (int n, struct all *c, float *y), for (int i = 0; i < n; i++) y[i] = c->ones[0].part[i] + 10 * c->ones[1].part[i];)
BOTH(several, (int n, struct all *c, float *y), for (int i = 0; i < n; i++) y[i] = c[0].rows[0][i] + 10 * c[1].rows[0][i];)

/* a variable has the name that a row could have */
BOTH(named, (int n, float **m, float *y), {
    float *m_1 = m[2];
    for (int i = 0; i < n; i++) y[i] = m[1][i] + 10 * m_1[i];
})

static int differ(void)
{
    int found = memcmp(got, wanted, sizeof got) != 0;
    memset(got, 0, sizeof got);
    memset(wanted, 0, sizeof wanted);
    return found;
}

int main(void)
{
    float *m[3] = {a[0], a[1], a[2]}, *other[1] = {a[2]};
    struct all cs[2] = {{m, {a[1], a[2], a[0]}, {{a[2]}, {a[0]}, {a[1]}}, {0, 0}}, {other, {0, 0, 0}, {{0}, {0}, {0}}, {0, 0}}};
    int wrong[7] = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            a[k][i] = (float)(k * 50 + i * 7 % 11);
#define CHECK(number, name, from)                                                                                      \
    name(N, from, got);                                                                                                \
    name##_plainly(N, from, wanted);                                                                                   \
    wrong[number] = differ();
    CHECK(0, table, m)
    CHECK(1, in_struct, cs)
    CHECK(2, kept, cs)
    CHECK(3, by_value, cs[0])
    CHECK(4, inner, cs)
    CHECK(5, several, cs)
    CHECK(6, named, m)
    for (int k = 0; k < 7; k++)
        printf("%d%c", wrong[k], k == 6 ? '\n' : ' ');
    return 0;
}
