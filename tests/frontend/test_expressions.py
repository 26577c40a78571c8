"""Expressions and simple statements, compared as normalised C."""

import pytest
from printing import Printer, compact

STRUCTS = "typedef struct { float x, y[3]; } P; struct Q { int a; struct { double d; } in; P *p; union { int i; } u; };"
ENUMS = "enum { FOUR = 4, FIVE }; static const int K = 7; static const double W = 0.5;"

STATEMENTS = {
    "A[n] = *(A + m);": "A[n] = A[m];",
    "*A = 1;": "A[0] = 1;",
    "*(A + n * m + 1) = A[n * m + 1];": "A[(((long)(n * m)) + 1)] = A[((n * m) + 1)];",
    "(A + n)[m] = 2[A];": "A[(((long)n) + ((long)m))] = A[2];",
    "A[1] = *(A - n);": "A[1] = A[(-((long)n))];",
    "A[1] = *(&A[n] + 0);": "A[1] = A[n];",
    "n = m = 3;": "m = 3; n = 3;",
    "A[n] = l = 2;": "l = 2; A[n] = 2;",
    "n++, --m;": "n += 1; m -= 1;",
    "n = FIVE + FOUR * 2;": "n = 13;",
    "n = K + 1;": "n = 8;",
    "B[0] = W;": "B[0] = 0.5;",
    "n = 'a' + sizeof(double);": "n = 105;",
    "n = 0x10 + 010 + 1;": "n = 25;",
    "A[0] = 1.0f + 2. + 0x1p3;": "A[0] = (1.0f + 2.) + 0x1p3;",
    "n = m > 3 && !l ? ~m : -m;": "n = ((m > 3) && (!l)) ? (~m) : (-m);",
    "C[0] <<= 1;": "C[0] <<= 1;",
    "A[0] = (float)B[0];": "A[0] = (float)B[0];",
    "n = __builtin_expect(m, 1);": "n = m;",
    "(void)n; ;": "",
    "float *row = A + n * m; row[l] = 1;": "A[(((long)(n * m)) + l)] = 1;",
    "float *p = &A[n]; const float *q = p + 1; p[0] = q[2];": "A[n] = A[((((long)n) + 1) + 2)];",
    "int v[4]; v[n] = 1; n = v[0];": "int v[4]; v[n] = 1; n = v[0];",
    "if (n) m = 1; else { m = 2; }": "if (n) { m = 1; } else { m = 2; }",
    "while (n < 3) n++;": "int n_1 = n; for (int n_2 = n_1; n_2 < 3; n_2 += 1) { n += 1; }",
    "while (n < A[n]) n++;": "while (n < A[n]) { n += 1; }",
    "while (n < 3) { if (m) break; n++; }": "while (n < 3) { if (m) { break; } n += 1; }",
    "do n--; while (n > A[n]);": "do { n -= 1; } while (n > A[n]);",
    "do { n--; } while (0);": "{ n -= 1; }",
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_statement(region_of, text):
    assert compact(region_of(text, ENUMS).body) == STATEMENTS[text]


def test_struct_members(reader):
    text = f"""{STRUCTS}
void f(P *p, struct Q *q, P a[4][5], int n) {{
#pragma acc kernels
{{ p->x = (*p).y[n]; q[n].in.d = q->u.i; q->p[2].x = a[1][n].x; p[1] = p[0]; }}
}}"""
    _, program = reader(text)
    assert compact(program.regions[0].body) == (
        "p[0].x = p[0].y[n]; q[n].in.d = q[0].u.i; q[0].p[2].x = a[1][n].x; p[1] = p[0];"
    )


def test_every_conversion_is_in_the_tree(region_of):
    printer = Printer(exact=True)
    (stmt,) = region_of("A[u] = C[0] * B[n] + 'x' / 2;").body.statements
    assert printer.stmt(stmt) == "A[u] = (float)((((double)((int)C[(0)])) * B[n]) + ((double)(60)));"


def test_limits_and_infinities_are_plain_constants(region_of):
    body = region_of(
        "B[0] = DBL_MAX; A[0] = FLT_MAX; A[1] = INFINITY; B[1] = -DBL_EPSILON;",
        "#include <float.h>\n#include <math.h>",
    ).body
    assert compact(body) == (
        "B[0] = 1.7976931348623157e+308; A[0] = 3.40282346638528859811704183484516925e+38F;"
        " A[1] = 1.0f / 0.0f; B[1] = -2.220446049250313e-16;"
    )


def test_math_macros_become_functions_and_convert_explicitly(region_of):
    body = region_of("n = isnan(A[0]) + isinf(B[0]); A[0] = sqrt(A[1]) + fabsf(A[2]);", "#include <math.h>").body
    assert compact(body) == ("n = isnan(A[0]) + isinf(B[0]); A[0] = sqrt(((double)A[1])) + fabsf(A[2]);")


def test_type_generic_math_keeps_its_type(reader):
    text = """#include <tgmath.h>
void f(float *A, double *B, int n) {
#pragma acc kernels
{ A[0] = sqrt(A[1]) * pow(A[1], 3.0f) + fmax(A[1], B[0]); B[1] = fabs(n); }
}"""
    _, program = reader(text)
    assert compact(program.regions[0].body) == (
        "A[0] = (sqrtf(A[1]) * powf(A[1], 3.0f)) + fmax(((double)A[1]), B[0]); B[1] = fabs(((double)n));"
    )


def test_opencl_words_are_renamed_and_hidden_names_told_apart(region_of):
    body = region_of("int kernel = n; { int n = 1, float4 = kernel; m = n + float4; } m = n;").body
    assert compact(body) == ("int kernel_ = n; { int n_1 = 1; int float4_ = kernel_; m = n_1 + float4_; } m = n;")
