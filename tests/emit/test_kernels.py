"""Kernels as text a person would write, and as programs that give C's results."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from device import build, on_device, on_host
from programs import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    GPU,
    INT,
    LONG,
    LONG_LONG,
    NOWHERE,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    WRITTEN,
    at,
    cast,
    global_id,
    item,
    lit,
    op,
    pointer,
    preprocessed,
    saxpy,
    span,
    var,
)

from accshare.builtins import floor_div, group_id, lane, local_id, maximum, minimum, shuffle, vector
from accshare.data.ir import DataPlan, Datum
from accshare.emit import emit
from accshare.emit.ir import Offload
from accshare.emit.text import literal
from accshare.frontend.ir import (
    Array,
    Assign,
    Block,
    Call,
    Conditional,
    Declare,
    Field,
    FloatLit,
    For,
    Function,
    GeneralFor,
    If,
    Jump,
    Member,
    Program,
    Region,
    Scalar,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Unary,
    Var,
    While,
)
from accshare.kernel.ir import (
    Barrier,
    Buffer,
    Comment,
    Copy,
    Define,
    Fence,
    Guarded,
    KernelFunction,
    LocalBuffer,
    Loop,
    Private,
    Value,
    Variant,
)
from accshare.options import Options
from accshare.poly.ir import Parameter
from accshare.pragma.ir import Directive, DirectiveKind, Movement
from accshare.source import SourceFile

pytestmark = pytest.mark.quick

GOLDEN = Path(__file__).parent / "golden"
USHORT = Scalar("unsigned short", 2, False, False)
ONE = lit(1, LONG)


def inner(name, type_):
    return var(name, type_, Storage.INNER)


def offload(name, body, data, parameters, kernel, symbols=(), functions=()):
    """An offload with one kernel; the data are (variable, element) pairs."""
    here = Directive(DirectiveKind.PARALLEL_LOOP, (), NOWHERE)
    plan = DataPlan(
        tuple(Parameter(p.symbol, p) for p in parameters),
        tuple(Datum(v.symbol.unique, v, e, lit(0, LONG), ONE, Movement.COPY, True, True, False, None) for v, e in data),
        (),
        (),
        None,
    )
    every = tuple(v.symbol for v, _ in data) + tuple(p.symbol for p in parameters) + tuple(symbols)
    region = Region(name, "f", here, (), body, every, functions, frozenset(), WRITTEN)
    return Offload(region, plan, (Variant(GPU, (kernel,), (), ()),))


def emitted(offload_, source=None, options=None):
    source = source or SourceFile.of("f.c", "{ ; }\n")
    output = emit(source, (), Program((), (), ()), (offload_,), options or Options(), "")
    assert output.diagnostics == ()
    return output.regions[0]


def agree(region, arrays, values, groups, folder, **tolerance):
    """Device and host give the same, and changed something."""
    device, host = on_device(region, arrays, values, groups), on_host(region, arrays, values, folder)
    for name in arrays:
        np.testing.assert_allclose(device[name], host[name], equal_nan=True, **tolerance)
    assert any(not np.array_equal(host[name], array) for name, array in arrays.items())


# --- the looks ---------------------------------------------------------------------------------------------------


def golden(name, text):
    expected = (GOLDEN / name).read_text()
    assert text == expected


GEMM = """\
void gemm(int n, float A[n][n], float B[n][n], float C[n][n])
{
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      C[i][j] = sum;
    }
}
"""


def gemm(source, tile=16):
    """Tiles of A and B in local memory, as a person who knows the classic example writes it."""
    n = var("n", INT)
    rows = {name: var(name, pointer(Array(FLOAT, n))) for name in "ABC"}
    flat = {name: var(name, pointer(FLOAT)) for name in "ABC"}
    i, j, k, sum_ = inner("i", INT), inner("j", INT), inner("k", INT), inner("sum", FLOAT)
    product = op("*", at(at(rows["A"], i), k), at(at(rows["B"], k), j))
    update, store = span(source, "sum += A[i][k] * B[k][j]"), span(source, "C[i][j] = sum")
    loops = [span(source, f"for (int {name} = 0; {name} < n; {name}++)") for name in "ijk"]

    def over(iterator, span_, *body):
        return For(iterator.symbol, lit(0), "<", n, 1, Block(body, span_), None, span_, span_)

    body = over(
        i,
        loops[0],
        over(
            j,
            loops[1],
            Declare(sum_.symbol, cast(lit(0), FLOAT), span(source, "float sum = 0")),
            over(k, loops[2], Assign(sum_, "+=", product, update)),
            Assign(at(at(rows["C"], i), j), "=", sum_, store),
        ),
    )
    i, j, t, k = (inner(name, LONG) for name in ("i", "j", "t", "k"))
    y, x = (inner(name, LONG) for name in ("y", "x"))
    locals_ = {name: inner(f"{name}_tile", pointer(FLOAT)) for name in "AB"}
    wide, size = cast(n, LONG), lit(tile, LONG)

    def two(row, column, length):
        return op("+", op("*", row, length), column)

    def bring(name, row, column):
        inside = op("&&", op("<", row, wide), op("<", column, wide))
        target = at(locals_[name], two(y, x, size))
        value = Conditional(
            inside, at(flat[name], two(row, column, wide)), FloatLit("0.0f", FLOAT, NOWHERE), FLOAT, NOWHERE
        )
        return Copy(target, value, None)

    tiles = Loop(
        t.symbol,
        lit(0, LONG),
        op("<", t, wide),
        tile,
        (
            bring("A", i, op("+", t, x)),
            bring("B", op("+", t, y), j),
            Barrier(Fence.LOCAL),
            Loop(
                k.symbol,
                lit(0, LONG),
                op("<", k, size),
                1,
                (
                    Assign(
                        sum_,
                        "+=",
                        op("*", at(locals_["A"], two(y, k, size)), at(locals_["B"], two(k, x, size))),
                        update,
                    ),
                ),
                4,
                loops[2],
            ),
            Barrier(Fence.LOCAL),
        ),
        1,
        None,
    )
    kernel = KernelFunction(
        "gemm_l4",
        (
            Buffer("A", FLOAT, False, True),
            Buffer("B", FLOAT, False, True),
            Buffer("C", FLOAT, True, True),
            Value(n.symbol),
        ),
        (tile, tile, 1),
        (Private(sum_.symbol, FLOAT),),
        tuple(LocalBuffer(locals_[name].symbol, FLOAT, (tile, tile)) for name in "AB"),
        (
            Define(y.symbol, item(local_id, 1)),
            Define(x.symbol, item(local_id, 0)),
            Define(i.symbol, op("+", op("*", item(group_id, 1), size), y)),
            Define(j.symbol, op("+", op("*", item(group_id, 0), size), x)),
            Assign(sum_, "=", cast(lit(0), FLOAT), span(source, "float sum = 0")),
            Comment("tiles of A and B pass through local memory"),
            tiles,
            Guarded(
                op("&&", op("<", i, wide), op("<", j, wide)),
                (Assign(at(flat["C"], two(i, j, wide)), "=", sum_, store),),
            ),
        ),
        (),
        (),
        loops[0],
    )
    return offload("gemm_l4", Block((body,), loops[0]), [(rows[k], FLOAT) for k in "ABC"], [n], kernel)


@pytest.mark.parametrize("n", [1, 16, 37])
def test_gemm_in_local_memory(tmp_path, n):
    source = preprocessed(tmp_path / "gemm.c", GEMM)
    region = emitted(gemm(source), source)
    random = np.random.default_rng(1)
    arrays = {name: random.random((n, n), dtype=np.float32) for name in "ABC"}
    groups = (-(-n // 16), -(-n // 16), 1)
    agree(region, arrays, {"n": n}, groups, tmp_path, rtol=1e-5)


def test_gemm_looks(tmp_path):
    source = preprocessed(tmp_path / "gemm.c", GEMM)
    region = emitted(gemm(source), source)
    golden("gemm.cl", region.variants[0].opencl)
    golden("gemm_reference.c", region.reference)


def test_a_build_log_cites_the_users_line(tmp_path):
    source = preprocessed(tmp_path / "gemm.c", GEMM)
    text = emitted(gemm(source), source).variants[0].opencl.replace("= sum;", "= nonsense;")
    with pytest.raises(Exception, match=r"gemm\.c:9:\d+: .*nonsense"):
        build(text)


def test_no_fusing_when_the_host_may_not(tmp_path):
    source = preprocessed(tmp_path / "gemm.c", GEMM)
    text = emitted(gemm(source), source, Options(contract=False)).variants[0].opencl
    assert text.startswith("#pragma OPENCL FP_CONTRACT OFF\n")
    build(text)


def test_requirements_are_in_the_tables(tmp_path):
    source = preprocessed(tmp_path / "gemm.c", GEMM)
    example = gemm(source)
    for targets, kind in ((("auto",), "gpu"), (("test-gpu",), "any")):
        host = emit(source, (), Program((), (), ()), (example,), Options(targets=targets), "").host
        table = host[host.index("__acc_variants_gemm_l4[] =") :].split(";")[0]
        assert f'"test-gpu", "{kind}"' in table
        assert "1, 256, 2048, __ACCSHARE_IN_PARTS }" in " ".join(table.split())


# --- the meaning -------------------------------------------------------------------------------------------------


def each(name, statements, data, parameters=(), *, private=(), functions=(), structs=(), n=64):
    """A region ``for (g = 0; g < n; g++) { statements }`` and its kernel with one work-item an iteration."""
    g = inner("g", LONG)
    body = Block(
        (For(g.symbol, lit(0, LONG), "<", lit(n, LONG), 1, Block(tuple(statements), WRITTEN), None, WRITTEN, WRITTEN),),
        WRITTEN,
    )
    params = tuple(Buffer(v.symbol.unique, e, True, False) for v, e in data) + tuple(
        Value(p.symbol) for p in parameters
    )
    work = (Define(g.symbol, global_id(0, 8)), Guarded(op("<", g, lit(n, LONG)), tuple(statements)))
    kernel = KernelFunction(name, params, (8, 1, 1), private, (), work, functions, structs, WRITTEN)
    return offload(name, body, data, parameters, kernel, functions=functions)


G = inner("g", LONG)


def value(name, type_):
    return at(var(name, pointer(type_)), G)


def call(name, type_, *args):
    return Call(name, args, type_, WRITTEN)


def floating(text, type_=DOUBLE):
    return FloatLit(text, type_, WRITTEN)


def usual(operator, lhs, rhs, type_):
    """What the front end builds for operands that C converts to `type_`."""
    return op(operator, *(e if e.type == type_ else cast(e, type_) for e in (lhs, rhs)), type_)


INTS = {"i": INT, "u": UINT, "c": CHAR, "b": UCHAR, "s": SHORT, "l": LONG, "q": LONG_LONG, "w": ULONG}
N, U, C, B, S, L, Q, W = (value(name, type_) for name, type_ in INTS.items())
F, D, T = value("f", FLOAT), value("d", DOUBLE), value("t", BOOL)

INTEGER_EXPRESSIONS = [
    usual("+", C, B, INT),
    usual("-", N, op("-", N, lit(5)), INT),
    op("-", op("-", N, lit(5)), N),
    Unary("-", Unary("-", N, INT, WRITTEN), INT, WRITTEN),
    Unary("-", lit(-7), INT, WRITTEN),
    op("*", op("+", N, lit(1)), op("-", lit(3), N)),
    op("+", lit(-(2**31)), N),
    op("/", op("-", N, lit(20)), lit(7)),
    op("%", op("-", N, lit(20)), lit(7)),
    op("/", N, op("*", lit(3), lit(2))),
    op("*", op("/", N, lit(3)), lit(2)),
    op("|", op("&", N, lit(12)), op("^", N, op("<<", lit(1), op("&", N, lit(7))))),
    op(">>", op("-", N, lit(1000)), lit(2)),
    usual(">>", U, lit(3, UINT), UINT),
    usual("+", N, U, UINT),
    usual("<", op("-", N, lit(1)), U, UINT),
    op("<", cast(op("-", N, lit(40)), UINT), U),
    usual("*", U, lit(4000000000, UINT), UINT),
    usual("+", L, U, LONG),
    usual("-", W, L, ULONG),
    usual("*", Q, lit(3, LONG_LONG), LONG_LONG),
    cast(usual("*", C, lit(7), INT), CHAR),
    cast(cast(op("*", N, lit(1001)), UCHAR), INT),
    op("+", cast(cast(op("*", N, lit(100003)), SHORT), INT), lit(1)),
    cast(op("-", N, lit(10)), ULONG, implicit=False),
    Unary("~", cast(B, INT), INT, WRITTEN),
    Unary("!", op("-", N, lit(3)), INT, WRITTEN),
    op("||", op("&&", op(">", N, lit(3)), op("<", N, lit(9))), op("==", cast(C, INT), lit(2))),
    op("==", op("<", N, lit(3)), op("<", lit(3), N)),
    Conditional(op("<", N, lit(8)), cast(C, INT), op("*", N, lit(2)), INT, WRITTEN),
    op("+", Conditional(op("<", N, lit(8)), N, lit(2), INT, WRITTEN), lit(1)),
    usual("+", T, T, INT),
    call("abs", INT, op("-", N, lit(30))),
    op("-", call("abs", INT, op("-", N, lit(30))), lit(40)),
    call("llabs", LONG_LONG, usual("-", Q, lit(50, LONG_LONG), LONG_LONG)),
    call("labs", LONG, cast(op("-", N, lit(30)), LONG)),
    cast(F, INT),
    cast(op("*", D, floating("-3.7")), LONG),
    call("lround", LONG, op("-", D, floating("2.5"))),
    call("lrint", LONG, op("*", D, floating("0.5"))),
    usual("<", F, D, DOUBLE),
    call("isnan", INT, op("/", op("-", F, F), op("-", F, F))),
]

FLOAT_EXPRESSIONS = [
    op("/", F, op("+", F, floating("1.0f", FLOAT))),
    usual("*", F, N, FLOAT),
    usual("+", F, floating("0.1"), DOUBLE),
    cast(usual("*", F, floating("0.1"), DOUBLE), FLOAT),
    op("+", D, cast(cast(op("*", D, floating("0.1")), FLOAT), DOUBLE)),
    usual("/", N, D, DOUBLE),
    cast(op("/", N, lit(4)), DOUBLE),
    op("*", D, floating("-1.5e3")),
    op("-", D, floating("-0x1.8p1")),
    Unary("-", F, FLOAT, WRITTEN),
    call("sqrt", DOUBLE, cast(N, DOUBLE)),
    call("sqrtf", FLOAT, cast(D, FLOAT)),
    call("fabsf", FLOAT, cast(op("-", D, floating("9.1")), FLOAT)),
    call("pow", DOUBLE, cast(F, DOUBLE), cast(lit(2), DOUBLE)),
    call("powf", FLOAT, F, cast(lit(2), FLOAT)),
    call("fmax", DOUBLE, cast(F, DOUBLE), floating("7.25")),
    call("fminf", FLOAT, F, floating("7.25f", FLOAT)),
    call("fmaf", FLOAT, F, F, F),
    call("fmod", DOUBLE, D, floating("2.25")),
    call("floor", DOUBLE, op("*", D, floating("0.3"))),
    call("exp", DOUBLE, op("*", D, floating("0.1"))),
    call("atan2f", FLOAT, F, floating("2.0f", FLOAT)),
    call("ldexp", DOUBLE, D, op("&", N, lit(7))),
    call("copysignf", FLOAT, F, floating("-1.0f", FLOAT)),
    call("nearbyint", DOUBLE, op("*", D, floating("0.5"))),
    call("erf", DOUBLE, op("*", D, floating("0.05"))),
    Conditional(op(">", F, floating("4.0f", FLOAT)), F, cast(N, FLOAT), FLOAT, WRITTEN),
]


def inputs():
    rows = {name: np.arange(64) * 3 + k for k, name in enumerate(INTS)}
    kinds = {"i": "i4", "u": "u4", "c": "i1", "b": "u1", "s": "i2", "l": "i8", "q": "i8", "w": "u8"}
    arrays = {name: (rows[name] % 128).astype(kinds[name]) for name in rows}
    arrays["f"] = np.linspace(0.25, 19, 64, dtype=np.float32)
    arrays["d"] = np.linspace(0.5, 31, 64)
    arrays["t"] = np.arange(64, dtype=np.uint8) % 2
    return arrays


def results(name, type_, expressions):
    """``name[g * count + k] = expression k``."""
    target, count = var(name, pointer(type_)), len(expressions)
    for k, expression in enumerate(expressions):
        index = op("+", op("*", G, lit(count, LONG)), lit(k, LONG))
        stored = expression if expression.type == type_ else cast(expression, type_)
        yield Assign(Subscript(target, index, type_, WRITTEN), "=", stored, WRITTEN)


@pytest.mark.parametrize(
    ("type_", "expressions"), [(LONG, INTEGER_EXPRESSIONS), (DOUBLE, FLOAT_EXPRESSIONS)], ids=["integer", "floating"]
)
def test_expressions_mean_what_c_means(tmp_path, type_, expressions):
    data = [
        (var(name, pointer(t)), t) for name, t in {**INTS, "f": FLOAT, "d": DOUBLE, "t": BOOL, "out": type_}.items()
    ]
    region = emitted(each("many", list(results("out", type_, expressions)), data), options=Options(contract=False))
    arrays = {**inputs(), "out": np.zeros(64 * len(expressions), dtype="i8" if type_ is LONG else "f8")}
    exact = {"rtol": 0} if type_ is LONG else {"rtol": 3e-7}
    agree(region, arrays, {}, (8, 1, 1), tmp_path, **exact)


def test_stores_convert(tmp_path):
    """To _Bool, to narrow integers, and through compound assignment."""
    data = [(var("i", pointer(INT)), INT)]
    statements = []
    for name, type_ in {"t": BOOL, "b": UCHAR, "c": CHAR, "s": SHORT, "h": USHORT, "f": FLOAT}.items():
        data.append((var(name, pointer(type_)), type_))
        statements.append(Assign(value(name, type_), "=", cast(op("*", N, lit(256)), type_), WRITTEN))
        other = inner(f"{name}_more", type_)
        statements.append(Declare(other.symbol, cast(op("-", N, lit(2)), type_), WRITTEN))
        statements.append(Assign(value(name, type_), "+=", other, WRITTEN))
    statements.append(Assign(value("t", BOOL), "-=", cast(lit(1), INT), WRITTEN))
    kinds = {"t": "u1", "b": "u1", "c": "i1", "s": "i2", "h": "u2", "f": "f4"}
    arrays = {"i": np.arange(64, dtype="i4"), **{k: np.full(64, 99).astype(v) for k, v in kinds.items()}}
    arrays["t"][:] = 1
    agree(emitted(each("stores", statements, data)), arrays, {}, (8, 1, 1), tmp_path, rtol=0)


def test_control_flow(tmp_path):
    """Every loop form C programs have, with jumps; unsigned counters that go down to 0 end there."""
    i, j, out = var("i", pointer(INT)), inner("j", UINT), value("out", INT)
    k, m = inner("k", INT), inner("m", INT)
    limit = at(i, G)

    def block(*stmts):
        return Block(stmts, WRITTEN)

    def add(amount):
        return Assign(out, "+=", amount, WRITTEN)

    down_first = op("-", cast(limit, UINT), lit(1, UINT))
    statements = [
        For(
            j.symbol,
            down_first,
            ">=",
            lit(0, UINT),
            -1,
            block(add(cast(op("*", j, lit(3, UINT)), INT))),
            None,
            WRITTEN,
            WRITTEN,
        ),
        For(k.symbol, limit, ">", lit(-4), -3, block(add(k)), None, WRITTEN, WRITTEN),
        GeneralFor(
            (Declare(m.symbol, lit(1), WRITTEN),),
            op("<", m, limit),
            (Assign(m, "*=", lit(2), WRITTEN),),
            block(If(op("==", m, lit(4)), block(Jump("continue", None, WRITTEN)), None, WRITTEN), add(m)),
            None,
            "m doubles",
            WRITTEN,
            WRITTEN,
        ),
        Declare(inner("z", INT).symbol, lit(0), WRITTEN),
        While(
            op("<", inner("z", INT), lit(3)),
            block(Assign(inner("z", INT), "+=", lit(1), WRITTEN), add(lit(1000))),
            True,
            WRITTEN,
        ),
        While(
            lit(1),
            block(
                Assign(inner("z", INT), "-=", lit(1), WRITTEN),
                If(
                    op("<", inner("z", INT), lit(0)),
                    block(Jump("break", None, WRITTEN)),
                    block(add(lit(10000))),
                    WRITTEN,
                ),
            ),
            False,
            WRITTEN,
        ),
    ]
    data = [(i, INT), (var("out", pointer(INT)), INT)]
    arrays = {"i": np.arange(64, dtype="i4") % 9, "out": np.zeros(64, "i4")}
    agree(emitted(each("flow", statements, data)), arrays, {}, (8, 1, 1), tmp_path, rtol=0)


def test_functions_and_parameters(tmp_path):
    """A user's function may have a name that OpenCL has taken, and parameters of every type arrive."""
    x, low = (Symbol(name, name, FLOAT, Storage.INNER) for name in ("x", "low"))
    smaller = If(
        op("<", Var(x, WRITTEN), Var(low, WRITTEN)),
        Block((Jump("return", Var(low, WRITTEN), WRITTEN),), WRITTEN),
        None,
        WRITTEN,
    )
    clamp = Function(
        "clamp",
        (x, low),
        FLOAT,
        Block(
            (smaller, Jump("return", cast(op("*", cast(Var(x, WRITTEN), DOUBLE), floating("2.0")), FLOAT), WRITTEN)),
            WRITTEN,
        ),
    )
    on, small, scale = var("on", BOOL), var("small", CHAR), var("scale", DOUBLE)
    chosen = Conditional(on, cast(call("clamp", FLOAT, F, cast(small, FLOAT)), DOUBLE), scale, DOUBLE, WRITTEN)
    statements = [Assign(value("out", DOUBLE), "=", chosen, WRITTEN)]
    data = [(var("f", pointer(FLOAT)), FLOAT), (var("out", pointer(DOUBLE)), DOUBLE)]
    region = emitted(each("call", statements, data, (on, small, scale), functions=(clamp,)))
    arrays = {"f": inputs()["f"], "out": np.zeros(64)}
    for on_value in (1, 0):
        agree(region, arrays, {"on": on_value, "small": 7, "scale": 2.5}, (8, 1, 1), tmp_path, rtol=0)


STRUCTS = {
    "natural": Struct(
        "cell", (Field("kind", CHAR, 0), Field("mass", FLOAT, 4), Field("at", Array(FLOAT, lit(3)), 8)), 20, False
    ),
    "packed": Struct(
        "cell", (Field("kind", CHAR, 0), Field("mass", FLOAT, 1), Field("at", Array(FLOAT, lit(3)), 5)), 17, False
    ),
    "aligned": Struct(
        "cell", (Field("kind", CHAR, 0), Field("mass", FLOAT, 16), Field("at", Array(FLOAT, lit(3)), 20)), 64, False
    ),
}


@pytest.mark.parametrize("layout", STRUCTS)
def test_structs_lie_as_on_the_host(tmp_path, layout):
    cell = STRUCTS[layout]
    cells = var("cells", pointer(cell))
    here = at(cells, G)
    mass = Member(here, "mass", FLOAT, WRITTEN)
    third = Subscript(Member(here, "at", Array(FLOAT, lit(3)), WRITTEN), lit(2), FLOAT, WRITTEN)
    first = Member(at(cells, lit(0)), "kind", CHAR, WRITTEN)
    statements = [Assign(third, "=", op("*", mass, cast(first, FLOAT)), WRITTEN)]
    region = emitted(each("cells", statements, [(cells, cell)], structs=(cell,)))
    offsets = [f.offset for f in cell.fields]
    kind = np.dtype(
        {"names": ["kind", "mass", "at"], "formats": ["i1", "f4", "3f4"], "offsets": offsets, "itemsize": cell.bytes}
    )
    records = np.zeros(64, kind)
    records["mass"], records["kind"] = np.arange(64), 3
    device = on_device(region, {"cells": records}, {}, (8, 1, 1))["cells"]
    host = on_host(region, {"cells": records}, {}, tmp_path)["cells"]
    assert device["at"][:, 2].tolist() == host["at"][:, 2].tolist() == (np.arange(64) * 3.0).tolist()
    assert "cells->kind" in region.variants[0].opencl


def test_integer_helpers_and_vectors(tmp_path):
    """min, max and floord of mixed types; private vectors, of which lanes are picked."""
    shifted = op("-", N, lit(30))
    floord = floor_div(shifted, lit(7), INT)
    wide = floor_div(cast(shifted, LONG), lit(7, LONG), LONG)
    least = minimum(maximum(L, floord, LONG), lit(50), LONG)
    four = replace(LONG, lanes=4)
    one, other, mixed = (inner(name, four) for name in ("one", "other", "mixed"))
    work = (
        Define(G.symbol, global_id(0, 8)),
        Assign(one, "=", vector([lit(k, LONG) for k in range(4)]), WRITTEN),
        Assign(other, "=", lit(7, LONG), WRITTEN),
        Assign(mixed, "=", shuffle(one, other, (6, 3, 1, 4)), WRITTEN),
        Assign(value("out", LONG), "=", op("+", op("*", least, lit(100, LONG)), wide), WRITTEN),
        Assign(value("out", LONG), "+=", cast(floord, LONG), WRITTEN),
        *(Assign(value("out", LONG), "-=", lane(mixed, k), WRITTEN) for k in range(4)),
    )
    data = [(var(k, pointer(t)), t) for k, t in {"i": INT, "l": LONG, "out": LONG}.items()]
    params = tuple(Buffer(v.symbol.unique, e, True, False) for v, e in data)
    private = tuple(Private(v.symbol, four) for v in (one, other, mixed))
    kernel = KernelFunction("helpers", params, (8, 1, 1), private, (), work, (), (), WRITTEN)
    region = emitted(offload("helpers", Block((), WRITTEN), data, (), kernel))
    arrays = {"i": inputs()["i"], "l": inputs()["l"], "out": np.zeros(64, "i8")}
    found = on_device(region, arrays, {}, (8, 1, 1))["out"]
    floors = (arrays["i"].astype("i8") - 30) // 7
    assert (
        found.tolist() == (np.minimum(np.maximum(arrays["l"], floors), 50) * 100 + 2 * floors - 7 - 3 - 1 - 7).tolist()
    )


def test_double_is_asked_for_only_where_it_is_used(tmp_path):
    source = saxpy(tmp_path / "saxpy.c").source
    single = [Assign(value("f", FLOAT), "=", op("+", F, F), WRITTEN)]
    double = [Assign(value("f", FLOAT), "=", cast(usual("+", F, floating("0.5"), DOUBLE), FLOAT), WRITTEN)]
    for statements, wanted in ((single, False), (double, True)):
        region = emitted(each("k", statements, [(var("f", pointer(FLOAT)), FLOAT)]), source)
        assert ("cl_khr_fp64 : enable" in region.variants[0].opencl) is wanted


def test_an_unknown_function_leaves_the_loop_on_the_host(tmp_path):
    source = preprocessed(tmp_path / "gemm.c", GEMM)
    unknown = [Assign(value("f", FLOAT), "=", call("jn", FLOAT, F), WRITTEN)]
    bad = each("k", unknown, [(var("f", pointer(FLOAT)), FLOAT)])
    output = emit(source, (), Program((), (), ()), (bad,), Options(), "")
    assert [d.code for d in output.diagnostics] == ["ACC204"]
    assert (output.regions, output.host) == ((), source.text)


@pytest.mark.parametrize("text", ['"', "\\", "??=", "%d\n", "\t", "\x01" + "2", "\xe9", "é\u20ac", "a\\\nb", ""])
def test_kernel_text_survives_as_a_c_string(run_program, text):
    program = f"int puts(const char *);\nint main(void) {{ return puts({literal(text)}) < 0; }}\n"
    data = b"".join(c.encode("latin-1") if ord(c) < 256 else c.encode() for c in text)
    assert run_program(program, flags=["-std=c99", "-trigraphs"]).stdout.encode("latin-1") == data + b"\n"
