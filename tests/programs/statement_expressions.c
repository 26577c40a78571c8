// Macros as GNU C has them: values of statements, types of expressions, selections by type.
// prints: 371441559.0 1802315.0 2861.8
// launches: 8
#include <math.h>
#include <stdio.h>

enum { N = 1000 };
typedef struct {
    float x, y;
} point;

#define MAX(a, b)                                                                                                      \
    ({                                                                                                                 \
        __typeof__(a) _a = (a);                                                                                        \
        __typeof__(b) _b = (b);                                                                                        \
        _a > _b ? _a : _b;                                                                                             \
    })
#define SQUARE(x)                                                                                                      \
    ({                                                                                                                 \
        __auto_type _x = (x);                                                                                          \
        _x *_x;                                                                                                        \
    })
#define CLAMP(x, least, most)                                                                                          \
    ({                                                                                                                 \
        int _v = (x);                                                                                                  \
        if (_v < (least)) _v = (least);                                                                                \
        if (_v > (most)) _v = (most);                                                                                  \
        _v;                                                                                                            \
    })
#define MIN(a, b)                                                                                                      \
    ({                                                                                                                 \
        const __typeof__(a) _a = (a);                                                                                  \
        const __typeof__(b) _b = (b);                                                                                  \
        (void)(&_a == &_b);                                                                                            \
        _a < _b ? _a : _b;                                                                                             \
    })
#define SUM(p, n)                                                                                                      \
    ({                                                                                                                 \
        float _sum = 0;                                                                                                \
        for (int _k = 0; _k < (n); _k++) _sum += (p)[_k];                                                              \
        _sum;                                                                                                          \
    })
#define SIZE(x) _Generic((x), float: fabsf, double: fabs)(x)
#define KIND(x) _Generic((x), float: 1.5f, double: 2.5, int: 3)

static float a[N + 8], b[N + 8], c[N];
static double d[N];
static int n[N], limit[N];
static unsigned char bytes[N];
static point points[N];

void greatest(void) {
#pragma acc kernels
    for (int i = 0; i < N; i++) a[i] = MAX(MAX(b[i], c[i]), MIN(b[i], 7.5f));
}

void squares(void) {
#pragma acc kernels
    for (int i = 0; i < N; i++) {
        __typeof__(b[i + 5000000]) size; // nothing is read here
        size = SIZE(c[i]) + KIND(size) + KIND(d[i]) + KIND(n[i]);
        a[i] = SQUARE(b[i] - size);
        d[i] = SIZE(d[i] - 300) + SQUARE(n[i]);
    }
}

void clamped(void) {
#pragma acc kernels
    for (int i = 0; i < N; i++) bytes[i] = CLAMP(n[i] * 3, 0, 255);
}

// only where it is asked for: the others have no such element
void guarded(void) {
#pragma acc kernels
    for (int i = 0; i < N; i++) c[i] = n[i] >= 0 && MAX(b[n[i]], 2.0f) > 100 ? SUM(b + n[i], 3) : -1;
}

void in_headers(void) {
#pragma acc kernels
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int k = MAX(i - 3, 0); k < MAX(i, 2); k++) sum += b[k];
        int steps = 0;
        while (MAX(sum, steps) > 20) sum /= 2, steps++;
        a[i] = sum + steps;
    }
}

void places(void) {
#pragma acc kernels
    for (int i = 0; i < N; i++) {
        ({ float *at = a + i; at; })[1] = b[i] + 1;
        *({
            point *at = &points[i];
            &at->y;
        }) += ({ point both = {b[i], 2}; both; }).x;
        ({
            if (n[i] < 0) continue;
            n[i]--;
        });
        limit[i] = ({ n[i] ^= 1; });
    }
}

static float farthest(void) {
    float most = 0;
#pragma acc kernels
    for (int i = 0; i < N; i++) most = MAX(fabsf(a[i] - b[i]), most);
    return most;
}

int main(void) {
    for (int i = 0; i < N; i++) {
        b[i] = i * 7 % 101 * 0.5f, c[i] = 40 - i * 3 % 90;
        d[i] = i % 600, n[i] = i - 400, points[i] = (point){i, -i};
    }
    double sum = 0, bits = 0;
    greatest();
    for (int i = 0; i < N; i++) sum += a[i] * (i % 3);
    squares();
    clamped();
    float most = farthest();
    guarded();
    in_headers();
    places();
    for (int i = 0; i < N; i++) {
        sum += (a[i] + c[i] + d[i] + points[i].y) * (1 + i % 7);
        bits += (bytes[i] + n[i] + 2.0 * limit[i]) * (1 + i % 5);
    }
    printf("%.1f %.1f %.1f\n", sum, bits, most);
}
