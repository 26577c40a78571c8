"""Types, symbols and functions of a region."""

import pytest
from printing import Printer

from accshare.frontend.ir import Array, Binary, IntLit, Pointer, Region, Scalar, Storage, Struct, Symbol, Var, Void

pytestmark = pytest.mark.quick


def symbols(region: Region) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in region.symbols}


def region(reader, declarations: str, parameters: str, body: str) -> dict[str, Symbol]:
    text = f"{declarations}\nvoid f({parameters}) {{\n#pragma acc kernels\n{{ {body} }}\n}}"
    _, program = reader(text)
    assert not program.diagnostics
    return symbols(program.regions[0])


def test_scalars_and_storage(reader):
    found = region(
        reader,
        "typedef unsigned long size; enum color { RED }; static short s; extern volatile float w;",
        "size n, enum color c, const char k, int p",
        "_Bool b = n; s = c + k + b; w = p;",
    )
    assert found["n"].type == Scalar("unsigned long", 8, False, False)
    assert found["c"].type == Scalar("unsigned int", 4, False, False)
    assert found["k"].type == Scalar("char", 1, True, False)
    assert found["b"].type == Scalar("_Bool", 1, False, False)
    assert (found["s"].storage, found["b"].storage) == (Storage.GLOBAL, Storage.INNER)
    assert (found["n"].storage, found["w"].volatile) == (Storage.PARAMETER, True)


def test_variable_length_parameters_and_pointers_to_arrays(reader):
    found = region(
        reader,
        "extern float E[][7]; double G[3][4];",
        "int n, int m, float A[restrict n][m + 1], double (*B)[n], const float C[10][20], float *restrict p",
        "A[0][0] = B[0][1] + C[1][2] + p[0] + E[1][2] + G[1][1];",
    )
    match found["A"].type:
        case Pointer(Array(Scalar("float"), Binary("+", Var(m), IntLit(1))), True, False):
            assert m.name == "m"
        case other:
            raise AssertionError(other)
    match found["B"].type:
        case Pointer(Array(Scalar("double"), Var(n)), False, False):
            assert n.name == "n"
        case other:
            raise AssertionError(other)
    assert found["n"] is not None
    match found["C"].type:
        case Pointer(Array(Scalar("float"), IntLit(20)), False, True):
            pass
        case other:
            raise AssertionError(other)
    assert found["p"].type == Pointer(Scalar("float", 4, True, True), True, False)
    match found["E"].type, found["G"].type:
        case Array(Array(_, IntLit(7)), None), Array(Array(_, IntLit(4)), IntLit(3)):
            pass
        case other:
            raise AssertionError(other)


def test_local_variable_length_arrays_keep_their_order(reader):
    text = """void f(int n, int m) { float T[n][10][m * 2];
#pragma acc kernels
{ T[1][2][3] = 1; } }"""
    _, program = reader(text)
    type_, printer, lengths = symbols(program.regions[0])["T"].type, Printer(False), []
    while isinstance(type_, Array):
        lengths.append(printer.expr(type_.length))
        type_ = type_.element
    assert lengths == ["n", "10", "(m * 2)"]


def test_structs(reader):
    found = region(
        reader,
        "typedef struct { float x; double y[2][3]; } P;"
        "struct node { struct node *next; P p; struct { int a; } in; union { int i; float f; } u;"
        " void (*call)(void); };",
        "P *p, struct node *q",
        "p->x = q->p.y[0][1] + q->in.a + q->u.i;",
    )
    point = found["p"].type.target
    assert isinstance(point, Struct)
    assert (point.name, point.bytes, [f.offset for f in point.fields]) == ("P", 56, [0, 8])
    node = found["q"].type.target
    assert node.name == "node"
    following, inner, plain, union, call = (field.type for field in node.fields)
    assert following == Pointer(Void(), False, False)
    assert inner == point
    assert (plain.name, union.union, call) == ("node_in", True, Pointer(Void(), False, False))


def test_address_taken(reader):
    text = """int g, h; void use(int *); void other(void) { use(&g); int n = 0; use(&n); }
void f(int n, int k, int *a) { use(&k);
#pragma acc kernels
{ a[n & k] = g + h; } }"""
    _, program = reader(text)
    found = symbols(program.regions[0])
    assert {name for name, symbol in found.items() if symbol.address_taken} == {"g", "k"}


def test_functions_come_callees_first(reader):
    text = """
static float halve(float x) { return x / 2; }
static float quarter(float x) { float t = halve(x); return halve(t); }
static int unused(int k) { return k; }
void f(int n, float *a) {
#pragma acc kernels
{ a[n] = quarter(a[n]) + halve(1); } }"""
    _, program = reader(text)
    functions = program.regions[0].functions
    assert [f.name for f in functions] == ["halve", "quarter"]
    assert Printer(False).function(functions[1]) == (
        "static float printed_quarter(float x) { float t = halve(x); return halve(t); }"
    )


def test_a_function_named_like_an_opencl_builtin_is_renamed(reader):
    text = """
static int clamp(int x) { return x > 9 ? 9 : x; }
void f(int n, int *a) {
#pragma acc kernels
{ a[n] = clamp(a[n]); } }"""
    _, program = reader(text)
    (region_,) = program.regions
    assert [f.name for f in region_.functions] == ["clamp_"]
    assert Printer(False).stmt(region_.body) == "{ a[n] = clamp_(a[n]); }"
