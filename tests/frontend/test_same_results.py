"""The strongest check: print each region back to C from its AST, compile it with gcc beside the original, run both on
the same data, and compare every byte they leave."""

import ctypes
import random
import re
import subprocess
from pathlib import Path

import pytest
from effectful import FUNCTIONS, Writer
from hypothesis import given, settings
from hypothesis import strategies as st
from printing import Printer
from reading import complaints, read

from accshare.frontend.ir import Array, GeneralFor, Storage
from accshare.tree import statements

SIZE = 64
HEAD = "int n, int m, unsigned u, size_t z, float *A, double *B, int *I, unsigned char *C, P *S, float M[8][8]"
PRELUDE = """
#include <stddef.h>
#include <stdbool.h>
#include <math.h>
typedef struct { float x; int k[2]; struct { short s; } in; } P;
enum { HALF = 4 };
static const int OFFSET = 3;
static inline float square(float x) { return x * x; }
static int steps(int k) {
  int s = 0;
  while (k > 1) { k = k % 2 ? 3 * k + 1 : k / 2; s += 1; if (s > 20) return -1; }
  return s;
}
static int clamp(int k, int low, int high) { if (k < low) return low; for (; k > high;) k--; return k; }
static int total = 3;
static const int TABLE[4] = {7, 1, -2, 5};
static int next(int *state) { *state = *state * 1103 + 12345; return *state >> 4 & 63; }
static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void set(float *at, int k, float x) { if (k < 0) return; at[k] = x; at[k + 1] += x; }
static int found(const int *a, int count, int x) {
  for (int i = 0; i < count; i++) { if (a[i] == x) return i; if (a[i] == -x) { break; } }
  if (x > 50) { total++; return -2; }
  return -1;
}
static void move(P *p, int by) { p->x += by; p->k[by & 1] = TABLE[by & 3]; p->in.s -= 1; }
static P made(P from, int k) { from.k[0] = k; from.x += 1; return from; }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static int tally(void) { return total++; }
static float row_sum(int m, float a[][8], int i) { float s = 0; for (int j = 0; j < m; j++) s += a[i][j]; return s; }
static void both(int *a, int n, double *sum, int *least) {
  *sum = 0; *least = a[0];
  for (int i = 0; i < n; i++) { if (a[i] % 3 == 0) continue; *sum += a[i]; if (a[i] < *least) *least = a[i]; }
}
static int named(int code) {
  switch (code) { case 0: return 4; case 1: case 2: code += 3; default: code *= 2; break; case 9: return -1; }
  return code;
}
static double poly(double x) { double s = 0; for (int i = 0; i < 4; i++) s = s * x + square((float)i); return s; }
"""

BODIES = {
    "plain": "for (int i = 0; i < n; i++) A[i] = A[i] * 2 + I[i];",
    "matrix": "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { float s = 0;"
    " for (int k = 0; k < 8; k++) s += M[i][k] * M[k][j]; A[i * 8 + j] = s; }",
    "down": "for (int i = n; i-- > 0;) I[i] = I[i + 1] + i;",
    "down_unsigned": "for (size_t i = z; i-- > 0;) I[i] += (int)i;",
    "down_to": "for (unsigned i = u; i--;) A[i] += i;",
    "pre": "for (int i = n; --i >= 0;) B[i] -= i;",
    "pre_up": "int i; for (i = -1; ++i < n;) B[i] -= i; I[0] = i;",
    "post_up": "int i; for (i = 0; i++ < n;) B[i] -= i; I[0] = i;",
    "unequal": "int i; for (i = n; i != 0; i--) B[i] = i; I[1] = i;",
    "outer_iterator": "int i, j = 0; for (i = 2; i <= n; i += 3) j = i; I[0] = i; I[1] = j;",
    "zero_trip": "int i; for (i = 5; i < 5 - n; i++) A[0] = 1; I[0] = i; for (i = -n; i-- > 0;) A[0] = 2; I[1] = i;",
    "bytes": "for (unsigned char i = 0; i < 10; i++) { C[i] = C[i] + 200; C[i] <<= 1; C[i] /= 3; C[i] -= 250; }",
    "shorts": "for (short i = 0; i < n; i = i + 1) S[i].in.s += 30000;",
    "wrap": "for (int i = 0; i < n; i++) { unsigned v = u - 40u - i; I[i] = v >> 3; B[i] = v; I[i] ^= -1; }",
    "signs": "for (int i = 0; i < n; i++) { I[i] = (i - 5) / 3 + (i - 5) % 3; B[i] = (i - 5) < u;"
    " A[i] = -7 / 2 + -7 % 3; }",
    "chars": "for (int i = 0; i < n; i++) { char c = 100; c += i * 10; I[i] = c; bool b = i & 4; C[i] = b + '0'; }",
    "structs": "for (int i = 0; i < n; i++) { S[i].x = S[0].k[1] + i;"
    " (*(S + i)).k[i % 2] = (int)S[i].x; S[7] = S[i]; }",
    "alias": "for (int i = 0; i < 8; i++) { float *row = A + i * 8; const float *first = &M[i][0];"
    " for (int j = 0; j < 8; j++) row[j] = first[j] + *(row + j) + j[first]; }",
    "alias_of_alias": "for (int i = 1; i < 7; i++) { float *p = A + i; float *q = p - 1; *q = *p + (p + 1)[0]; }",
    "chain": "int a; float b; unsigned char c; for (int i = 0; i < n; i++) { b = c = a = i * 100;"
    " A[i] = b + a; I[i] = c; }",
    "comma": "int a = 0, b; for (int i = 0, j = 9; i < n; i++, j--) { a += j, b = a; I[i] = b; }",
    "conditional": "for (int i = 0; i < n; i++) A[i] = I[i] > 3 ? I[i] : B[i] < 2 ? 0.5 : -0.25f;",
    "logic": "for (int i = 0; i < n; i++) I[i] = (i > 2 && I[i] != 3) || !(i % 4) ? ~i : -i;",
    "loop_while": "for (int i = 0; i < n; i++) { int k = i; while (k > 1) { k /= 2; if (k == 3) break; } I[i] = k; }",
    "loop_do": "int k = n; do { I[k] = k; k -= 2; if (k == 4) continue; } while (k > 0);",
    "geometric": "for (int i = 1; i < n; i *= 2) I[i] = i;",
    "early": "for (int i = 0; i < n; i++) { if (I[i] > 90) break; I[i] = 1; }",
    "skips": "for (int i = 0; i < n; i++) { if (I[i] % 2) continue; I[i] = -1; }",
    "triangle": "for (int i = 0; i < 8; i++) for (int j = i; j < 8; ++j) M[i][j] += M[j][i];",
    "hidden": "int k = 1; for (int i = 0; i < n; i++) { int k = 2; { int k = i; I[i] = k; } I[i] += k; } I[0] = k;",
    "local": "for (int i = 0; i < n; i++) { int t[4]; for (int j = 0; j < 4; j++) t[j] = I[i + j];"
    " A[i] = t[0] * t[3]; }",
    "calls": "for (int i = 0; i < n; i++) { A[i] = square(A[i]);"
    " I[i] = steps(I[i] + 1) + clamp(i, 3, 7); B[i] = poly(i); }",
    "math": "for (int i = 0; i < n; i++) { B[i] = sqrt(fabs(B[i])) + fmin(A[i], i);"
    " A[i] = floorf(A[i] / 3) + isnan(A[i]);"
    " A[i] += isinf(B[i]) ? INFINITY : 1; }",
    "folded": "for (int i = 0; i < HALF * 2; i++) { I[i] = OFFSET + sizeof(P) + 0x7fffffff / 2 + (1u << 31 >> 3); }",
    "mixed_bound": "for (int i = 0; i < z; i++) for (int j = i + 1; j < u; j++) I[j] += i;",
    "float_compound": "for (int i = 0; i < n; i++) { I[i] += 1.5f; I[i] *= 0.75; C[i] += 0.5; A[i] /= 3; A[i]++; }",
    "indices": "int k = 0, q = 60; for (int i = 0; i < n; i++) { I[k++] = i; A[--q] = k; B[k] = I[k]++ + --I[q]; }"
    " I[40] = k; I[41] = q;",
    "values": "int t, v = 1; for (int i = 0; i < n; i++) { if ((t = I[i] % 7) > 3) A[i] = t; else B[i] = (v += t) * 2;"
    " I[i] = (t = 5, t + 1) + (C[i] += 3); }  I[40] = t + v;",
    "sides": "int c = 0, d = 0; for (int i = 0; i < n; i++) { if (I[i] > 40 && c++ < 5) A[i] = 1;"
    " if (I[i] < 9 || ++d > 3 || (I[i] = 0)) B[i] = d; I[i] += I[i] & 1 ? c++ : (d -= 2, d);"
    " (I[i] & 2) && (A[i] = 3); I[i] & 4 ? c++ : d--; } I[40] = c; I[41] = d;",
    "conditions": "int k = n; while (k-- > 3) I[k] = k; while ((k = k + 2) < n) A[k] = k;"
    " do { if (k == 7) continue; I[k] += 1; } while (--k > 2);"
    " for (int i = 0, t; (t = I[i]) < 90 && i < n; B[i] = t, i++) { if (t == 4) continue; A[i] += t; }"
    " for (int i = 9; i-- > 0;) { if (I[i] > 50) i--; A[i + 1] = 2; } I[40] = k;",
    "pointers": "int s = n; for (int i = 0; i < n; i++) { I[i] = next(&s); B[i] = dot3(B + i, &B[2 * i]);"
    " set(A, i - 2, next(&s)); set(&A[i], 1, s); I[40] = next(&I[i]) + next(&I[i]) * 2; } I[41] = s;",
    "searches": "for (int i = 0; i < n; i++) { C[i] = found(I, n, i * 3); I[i] = found(&I[i], 5, I[i + 1]) + tally(); }"
    " I[40] = total;",
    "objects": "P s; int a = 3, b = n; for (int i = 0; i < n; i++) { move(&S[i], i); S[2] = made(S[i], i); s = S[1];"
    " move(&s, 3); S[i].x += s.x + made(s, 4).k[0]; swap(&a, &b); swap(&I[i], &I[a]); } I[40] = a;",
    "arrays": "for (int i = 0; i < 8; i++) { double s; int least; A[i] = row_sum(n < 8 ? n : 8, M, i);"
    " both(I + i, n, &s, &least); B[i] = s; I[50 + i] = least; I[i] = named(i) + named(I[i] % 10); }",
    "moving": "for (int i = 0; i < n; i++) { int at = i; int *p = &at; *p += 2; const P *q = &S[i];"
    " I[at] = q->k[1] + (*p)--; I[i] = at; }",
    "branches": "for (int i = 0; i < n; i++) { int v = i; switch (I[i] % 6) { case 0: A[i] = 1; break;"
    " case 1: v += 3; case 2: v *= 2; if (v > 9) break; A[i] = v; case 5: { B[i] = v; break; }"
    " default: if (i & 1) continue; v = -1; } I[i] += v; }",
    "branches_nested": "for (int i = 0; i < n; i++) { switch (i) { default: I[i] = 9;"
    " case 3: for (int j = 0; j < 4; j++) { if (j == 2) break; A[j] += 1; } break;"
    " case 1: case 2: switch (I[i] & 1) { case 0: B[i] = 2; break; case 1: B[i] = 3; } case 4 ... 6: C[i] = 77; } }"
    " switch (n) { case 13: { I[60] = 1; } } switch (m) { int q; case 10: q = 4; I[61] = q; }",
    "lists": "for (int i = 0; i < n; i++) { float v[3] = {1, I[i]}; const double w[2][2] = {{i, 2}, {3}};"
    " P s = {i, {3, i * 2}}; int z[20] = {0}, q = {7}; for (int k = 0; k < 3; k++) A[i] += v[k] + w[k & 1][k & 1];"
    " S[i] = s; I[i] += z[i % 20] + q + ((P){.5f, {i, 4}}).k[0] + found((int[3]){4, i, 6}, 3, 6); }",
    "step_literal": "for (size_t i = 0; i < z; i += 2u) I[i] = 1; for (unsigned i = u; i > 2; i += -2) I[i] = 7;",
}


def buffers(seed: int) -> dict[str, bytearray]:
    rng = random.Random(seed)
    floats = (ctypes.c_float * SIZE)(*(rng.randint(-40, 40) / 4 for _ in range(SIZE)))
    doubles = (ctypes.c_double * SIZE)(*(rng.randint(-40, 40) / 4 for _ in range(SIZE)))
    ints = (ctypes.c_int * SIZE)(*(rng.randint(0, 100) for _ in range(SIZE)))
    matrix = (ctypes.c_float * SIZE)(*(rng.randint(-9, 9) for _ in range(SIZE)))
    structs = bytes((ctypes.c_float * (4 * SIZE))(*(float(rng.randint(0, 9)) for _ in range(4 * SIZE))))
    every = {"A": floats, "B": doubles, "I": ints, "C": rng.randbytes(SIZE), "S": structs, "M": matrix}
    return {name: bytearray(bytes(value)) for name, value in every.items()}


def replaced(text: str, folder: Path) -> tuple[str, str]:
    """The preprocessed text, and the same with each region printed from its AST."""
    source, program = read(text, folder, flags=())
    assert not program.diagnostics, program.diagnostics
    out, after = [], 0
    for region in program.regions:
        assert not complaints(region), (region.name, complaints(region))
        printer = Printer(exact=True, functions=frozenset(f.name for f in region.functions))
        functions = "".join(printer.function(f) + "\n" for f in region.functions)
        start = source.text.rindex("\nvoid ", 0, region.span.start)
        marker = region.name.replace("_l", "_at_")
        functions = re.sub(r"\bprinted_", f"printed_{marker}_", functions)
        body = re.sub(r"\bprinted_", f"printed_{marker}_", printer.stmt(region.body))
        out += [source.text[after:start], "\n", functions, source.text[start : region.span.start], body]
        after = region.span.end
    out.append(source.text[after:])
    return source.text, "".join(out)


def library(text: str, folder: Path, name: str) -> ctypes.CDLL:
    path = folder / f"{name}.i"
    path.write_text(text, encoding="latin-1")
    shared = folder / f"{name}.so"
    flags = ["-w", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-std=gnu17", "-fwrapv"]
    subprocess.run(["gcc", *flags, str(path), "-o", str(shared), "-lm"], check=True)
    return ctypes.CDLL(str(shared))


def outcome(lib: ctypes.CDLL, name: str, n: int) -> dict[str, bytes]:
    memory = buffers(n)
    views = {key: (ctypes.c_char * len(value)).from_buffer(value) for key, value in memory.items()}
    getattr(lib, name)(
        ctypes.c_int(n), ctypes.c_int(n - 3), ctypes.c_uint(n), ctypes.c_size_t(n),
        *(views[key] for key in ("A", "B", "I", "C", "S", "M")),
    )  # fmt: skip
    return {key: bytes(value) for key, value in memory.items()}


def functions(bodies: dict[str, str]) -> str:
    return PRELUDE + "".join(
        f"void {name}({HEAD})\n{{\n#pragma acc kernels\n{{ {body} }}\n}}\n" for name, body in bodies.items()
    )


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("same")
    original, printed = replaced(functions(BODIES), folder)
    return library(original, folder, "original"), library(printed, folder, "printed")


@pytest.mark.parametrize("n", [0, 1, 13, 20])
@pytest.mark.parametrize("name", BODIES)
def test_printed_region_does_what_the_original_does(pair, name, n):
    original, printed = pair
    assert outcome(printed, name, n) == outcome(original, name, n)


# --- random expressions ----------------------------------------------------------------------------------------------

LEAVES = [
    "n",
    "m",
    "u",
    "z",
    "A[i]",
    "B[i]",
    "I[i]",
    "C[i]",
    "S[i].k[1]",
    "S[i].in.s",
    "i",
    "3",
    "2.5f",
    "7u",
    "(-1)",
    "'a'",
]
INTEGERS = ["n", "m", "u", "z", "I[i]", "C[i]", "S[i].in.s", "i", "3", "7u", "(-1)", "'a'", "9L"]
TYPES = ["int", "unsigned", "short", "unsigned char", "long", "float", "double", "signed char"]


def arithmetic(leaves: list[str], operators: list[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(operators), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
            inner.map(lambda e: f"(- {e})"),
            inner.map(lambda e: f"(! {e})"),
            st.tuples(st.sampled_from(TYPES[:5]), inner).map(lambda t: f"(({t[0]}){t[1]})"),
        ),
        max_leaves=6,
    )


EXPRESSIONS = st.one_of(
    arithmetic(INTEGERS, ["+", "-", "*", "&", "|", "^", "<", "==", "&&", "||"]),
    arithmetic(LEAVES, ["+", "-", "*", "<", ">=", "!="]).filter(lambda e: "(unsigned" not in e and "(short" not in e),
)


@settings(max_examples=6, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["A", "B", "I"]), EXPRESSIONS), min_size=25, max_size=25))
def test_random_expressions_mean_the_same(tmp_path_factory, stores):
    folder = tmp_path_factory.mktemp("random")
    bodies = {
        f"f{k}": f"for (int i = 0; i < n; i++) {target}[i + 16] {'=' if target == 'I' else '+='} "
        + (f"(int)(long)({value});" if target == "I" else f"{value};")
        for k, (target, value) in enumerate(stores)
    }
    original, printed = replaced(functions(bodies), folder)
    one, other = library(original, folder, "original"), library(printed, folder, "printed")
    for name in bodies:
        assert outcome(other, name, 9) == outcome(one, name, 9), bodies[name]


# --- random loops ----------------------------------------------------------------------------------------------------

LOOPS = st.builds(
    lambda kind, first, bound, relation, step: (
        f"{kind} i; for (i = {first}; i {relation} {bound}; i += {step}) I[i & 63] += 1; I[63] = (int)i;"
    ),
    st.sampled_from(["int", "long", "short", "signed char"]),
    st.sampled_from(["0", "n", "3", "m", "n * 2", "-2"]),
    st.sampled_from(["n", "7", "m + 1", "0", "-5", "n - m"]),
    st.sampled_from(["<", "<=", ">", ">="]),
    st.sampled_from(["1", "2", "-1", "-3"]),
)


@settings(max_examples=4, deadline=None)
@given(st.lists(LOOPS, min_size=30, max_size=30))
def test_random_loops_run_the_same_iterations(tmp_path_factory, loops):
    folder = tmp_path_factory.mktemp("loops")
    bodies = {f"f{k}": loop for k, loop in enumerate(loops) if terminates(loop)}
    original, printed = replaced(functions(bodies), folder)
    one, other = library(original, folder, "original"), library(printed, folder, "printed")
    for name in bodies:
        assert outcome(other, name, 9) == outcome(one, name, 9), bodies[name]


def terminates(loop: str) -> bool:
    rising = re.search(r"i (<|<=) ", loop) is not None
    return rising == ("i += -" not in loop)


# --- random effects --------------------------------------------------------------------------------------------------


@settings(max_examples=1, deadline=None)
@given(st.integers(0, 1 << 30))
def test_random_effects_happen_in_order(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("effects")
    bodies = {f"f{k}": Writer(seed + k).body() for k in range(12)}
    text = functions(bodies).replace("void f0(", f"{FUNCTIONS}\nvoid f0(")
    original, printed = replaced(text.replace("unsigned char *C", "int *J"), folder)
    one, other = library(original, folder, "original"), library(printed, folder, "printed")
    for name in bodies:
        assert outcome(other, name, 9) == outcome(one, name, 9), bodies[name]


def test_nothing_above_was_skipped(tmp_path):
    _, program = read(functions(BODIES), tmp_path, flags=())
    assert [region.function for region in program.regions] == list(BODIES)
    general = {r.function for r in program.regions if any(isinstance(s, GeneralFor) for s in statements(r.body))}
    assert {"geometric", "early"} <= general
    local = next(r for r in program.regions if r.function == "local")
    assert any(isinstance(s.type, Array) and s.storage is Storage.INNER for s in local.symbols)
