"""Which scalars must be given back to the host after a region."""

import pytest

pytestmark = pytest.mark.quick

REGION = "\n#pragma acc kernels\n{ s = n; t = n + 1; }\n"

AFTER = {
    "%s": set(),
    "%s return s;": {"s"},
    "%s s = 0; return s + t;": {"t"},
    "%s if (n) s = 0; return s;": {"s"},
    "%s if (n) s = 0; else s = 1; return s;": set(),
    "%s for (s = 0; s < n; s++) ; return s;": set(),
    "%s s += 1;": {"s"},
    "%s n = s = t;": {"t"},
    "%s while (n--) { t = 3; } return t;": {"t"},
    "%s do { t = 3; } while (n--); return t;": set(),
    "for (int i = 0; i < n; i++) { %s }": set(),
    "for (int i = 0; i < n; i++) { n = t; %s }": {"t"},
    "for (int i = 0; i < n; i++) { t = 0; n = t; %s }": set(),
    "for (int i = 0; i < s; i++) { %s }": {"s"},
    "for (int i = 0; i < n; i += t) { %s t = 1; }": set(),
    "while (s < 3) { if (n) { %s if (t) break; } s = 0; } return t;": {"s", "t"},
    "while (n < 3) { %s if (n) break; s = 0; } return s;": {"s"},
    "while (n < 3) { %s if (n) continue; s = 0; } return s;": {"s"},
    "while (n < 3) { %s while (1) { if (n) break; } s = 0; } return s;": set(),
    "again: %s if (n--) goto again; s = t;": {"s", "t"},
    "if (n) goto out; out: %s s = t;": {"t"},
    "while (n--) { if (t) goto out; %s s = 1; } out: s = 2;": {"s", "t"},
    "switch (n) { case 1: n = s; case 0: %s break; case 2: n = t; } s = 1;": {"t"},
    "%s n = s && (t = 3); return t;": {"s", "t"},
    "%s { int s = 3; n = s; }": set(),
    "%s g(&s);": {"s"},
    "g(&s); %s": {"s"},
}


@pytest.mark.parametrize("body", AFTER)
def test_live_after(reader, body):
    _, program = reader(f"void g(int *p); int f(int n, int s, int t) {{ {body % REGION} return 0; }}")
    assert not program.diagnostics
    assert program.regions[0].live_after == AFTER[body]


def test_globals_statics_and_iterators(reader):
    text = """int g; int f(int n, int *a) {
  static int s, t; int i, j; a[0] = s;
#pragma acc kernels
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) { g = i; s = j; t = i; a[i] = j; }
  return i;
}"""
    _, program = reader(text)
    assert program.regions[0].live_after == {"g", "s", "i"}


#: another function of the file, and whether it may find what a region leaves in a variable of the file
OTHERS = {
    "": False,
    "void h(int *p) { g = 1; p[0] = g; }": False,
    "void h(int *p) { int x = p[0]; g = x; if (x) g = 2; p[0] = g + x; }": False,
    "int h(void) { return g; }": True,
    "void h(int n) { if (n) g = 1; use(g); }": True,
    "void h(int *p) { g = 1; use(p[0]); p[0] = 2; }": False,
    "void h(int *p) { g = 1; use(p[0]); p[0] = g; }": True,
    "void h(int *p) { g = 1; use(p[0]); g = 2; p[0] = g; }": False,
    "void h(int *p) { g = 1; g = used(p[0]); p[0] = g; }": False,
    "void h(int *p) { g = 1; p[0] = used(p[0]) + g; }": True,
    "void h(int *p) { for (g = 0; g < 3; g++) use(p[0]); }": True,
    "void h(int *p) { for (int i = 0; i < 3; i++) { g = i; p[i] = g; use(i); } }": False,
    "void h(int *p) { for (int i = 0; i < 3; i++) { g = i; use(i); p[i] = g; } }": True,
    "void h(int *p) { again: g = 1; p[0] = g; if (p[1]) goto again; }": True,
    "int *h(void) { return &g; }": True,
    "double h(double x) { g = 2; return fabs(x) * g; }": False,
}


@pytest.mark.parametrize("other", OTHERS)
def test_scratch_variables_of_a_file_are_as_good_as_a_functions_own(reader, other):
    text = """static int g; void use(int x); int used(int x); double fabs(double x);
%s
void f(int n, int *a) {
#pragma acc kernels
  for (int i = 0; i < n; i++) { g = i; a[i] = g; }
}"""
    _, program = reader(text % other)
    assert not program.diagnostics
    assert program.regions[0].live_after == ({"g"} if OTHERS[other] else frozenset())
