"""What can't run on a device is told with its number, a caret, and a way out; nothing crashes."""

import pytest
from printing import compact
from reading import complaints

from accshare.diagnostics import render
from accshare.frontend.ir import Unsupported
from accshare.tree import statements

pytestmark = pytest.mark.quick

BEFORE = """#include <stdio.h>
#include <string.h>
#include <complex.h>
#undef I
struct bits { unsigned a : 3; float x; };
int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
int counter; int hidden(int k) { return k + counter; }
int *either(int *p, int k) { if (k) return p; return p + k; }
int kept(int k) { static int last; last += k; return last; }
int many(int k, ...) { return k; }
int later(void);
int outside; int away(int k) { { extern int outside; return outside + k; } }
void both(float *p, int k) { if (p != 0) p[k] = 1; }
int waits(int *p) {
#pragma acc wait
  *p += 1;
  return 2; }
int shout(int n) { printf("%d", n); return n; }
int elsewhere(int n);
int (*pointer)(int);
"""

REFUSED = {
    "goto out; out: ;": ("ACC202", "goto"),
    "switch (n) { if (m) { case 1: m = 2; } }": ("ACC202", "a case label inside another statement"),
    'asm("nop");': ("ACC202", "inline assembly"),
    "return;": ("ACC202", "return inside a region"),
    "while (1) { { int q[2] = {[1] = 2}; m = q[0]; } break; }": ("ACC202", "an initialiser list with designators"),
    "static int q; q = 1;": ("ACC202", "static variable q"),
    "A = A + 1;": ("ACC202", "the pointer A changes here (A = A + 1)"),
    "float *p; if (n) m = p[0];": ("ACC202", "declared without a value"),
    "int *p = I; p = &m;": ("ACC202", "the pointer p may point into several arrays"),
    "int *p; *p = 3; p = I;": ("ACC202", "the pointer p has no value yet"),
    "int *p = &m; p[1] = 3;": ("ACC202", "a pointer to a single object is used with a subscript"),
    "n = &m - I;": ("ACC202", "the difference of pointers into arrays that may be two"),
    'printf("%d", n);': ("ACC204", "call of printf can't run on a device"),
    'printf("x"), m = 1;': ("ACC204", "call of printf can't run on a device"),
    "m = fact(3);": ("ACC204", "fact calls itself"),
    "int counter = 2; m = hidden(counter);": (
        "ACC204",
        "the variable counter of a called function has another",
    ),
    "m = either(I, 3)[1];": ("ACC204", "it returns a pointer from several places"),
    "((float *)I)[0] = 1;": ("ACC203", "a pointer to int is used as a pointer to float"),
    "m = kept(3);": ("ACC204", "static variable last"),
    "m = many(3, 4);": ("ACC204", "it takes any number of arguments"),
    "both(A + 1, 2);": ("ACC202", "both uses the pointer p as a value"),
    "m = waits(I);": ("ACC204", "wait stands in it"),
    "m = shout(3);": ("ACC204", "call of printf"),
    "memset(A, 1, n * sizeof *A);": ("ACC204", "memset gives bytes of numbers a value other than 0"),
    "memcpy(A, I, n * sizeof *A);": ("ACC204", "memcpy copies numbers of another type than it stores"),
    "memcpy(A, A + m, n);": ("ACC204", "the call of memcpy doesn't tell how many elements it means"),
    "memmove(A, A + m, n * 4);": ("ACC204", "memmove may copy elements onto one another"),
    "m = elsewhere(3);": ("ACC204", "call of elsewhere can't run on a device"),
    "m = undeclared(3);": ("ACC204", "call of undeclared can't run on a device"),
    "m = pointer(3);": ("ACC204", "through a pointer"),
    "long double x = 1;": ("ACC203", "long double"),
    "double complex x = A[0]; x = x / x;": ("ACC202", "a division by a complex number"),
    "double complex x = A[0]; A[1] = cabs(cexp(x));": ("ACC204", "call of cexp"),
    "long double complex x = 1; A[0] = x;": ("ACC203", "long double"),
    "__int128 x = 1;": ("ACC203", "128-bit"),
    "double *b = (double *)A; b[0] = 1;": ("ACC203", "is used as a pointer to double"),
    "float q[n++]; m = 1;": ("ACC205", "n++ changes a variable in the middle of an expression"),
    "m = _Generic(n, int: 2, default: 3);": ("ACC202", "_Generic"),
    "m = n ?: 3;": ("ACC202", "this expression"),
    "int q[2][2] = {1, 2, 3, 4}; m = q[1][1];": ("ACC202", "an initialiser list leaves braces out"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(reader, text):
    head = "void f(int n, int m, unsigned u, float *A, int *I)"
    source, program = reader(f"{BEFORE}{head} {{\n#pragma acc kernels\n{{\n{text}\n}}\n}}\n")
    assert not program.diagnostics
    found = complaints(program.regions[0])
    code, message = REFUSED[text]
    assert found, compact(program.regions[0].body)
    assert code == found[0].code
    assert message in found[0].message
    shown = render(found[0], source).splitlines()
    assert shown[1].strip() == text
    assert "^" in shown[2]


def test_bit_fields(reader):
    text = f"{BEFORE}void f(struct bits *b) {{\n#pragma acc kernels\n{{ b->a = 1; }}\n}}"
    _, program = reader(text)
    assert [d.code for d in complaints(program.regions[0])] == ["ACC203"]


def test_only_the_statement_is_unsupported(reader):
    text = '#include <stdio.h>\nvoid f(int n, int *a) {\n#pragma acc kernels\n{ a[0] = 1; printf("x"); a[1] = 2; }\n}'
    _, program = reader(text)
    first, second, third = program.regions[0].body.statements
    assert isinstance(second, Unsupported)
    assert not any(isinstance(s, Unsupported) for s in (first, third))


def test_assert_says_how_to_get_rid_of_it(reader):
    text = "#include <assert.h>\nvoid f(int n, int *a) {\n#pragma acc kernels\n{ assert(n > 3); a[0] = 1; }\n}"
    _, program = reader(text)
    (diagnostic,) = complaints(program.regions[0])
    assert (diagnostic.message, diagnostic.hint) == ("assert can't run on a device", "compile with -DNDEBUG")


LOOP = "\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = i;\n"


def test_an_error_drops_the_regions_of_its_function_only(reader):
    text = f"void f(int n, int *a) {{ {LOOP} a[0] = unknown; }} void g(int n, int *a) {{ {LOOP} }}"
    source, program = reader(text)
    assert [region.function for region in program.regions] == ["g"]
    (diagnostic,) = program.diagnostics
    assert diagnostic.code == "ACC201"
    assert "use of undeclared identifier 'unknown'" in diagnostic.message
    assert source.slice(diagnostic.span) == "u"


def test_a_function_clang_cannot_see_at_all(reader):
    text = f"void f(int n, int *a)) {{ {LOOP} }}\nint x;\n"
    _, program = reader(text)
    assert not program.regions
    assert {d.code for d in program.diagnostics} == {"ACC201"}


def test_gcc_extensions_elsewhere_do_not_matter(reader):
    text = f"""
int nested(int n) {{ int inner(int k) {{ return k + n; }} return inner(2); }}
typedef int v4 __attribute__((vector_size(16)));
void f(int n, int *a) {{ {LOOP} }}"""
    _, program = reader(text)
    assert [region.function for region in program.regions] == ["f"]


def test_headers_give_no_errors(reader):
    names = (
        "stdio stdlib math string complex tgmath assert errno limits float stdint inttypes time ctype signal sys/time"
    )
    includes = "".join(f"#include <{name}.h>\n" for name in names.split())
    _, program = reader(f"{includes}void f(int n, int *a) {{ {LOOP} }}")
    assert len(program.regions) == 1
    assert not program.diagnostics


def test_every_statement_of_a_refused_region_has_a_span(reader):
    text = f"void f(int n, int *a) {{ {LOOP} }}"
    source, program = reader(text)
    for stmt in statements(program.regions[0].body):
        assert 0 < stmt.span.start < stmt.span.end <= len(source.text)
