"""Small programs with their offloads built by hand, as the earlier stages would build them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

from accshare.builtins import group_id, local_id
from accshare.data.ir import DataPlan, Datum, Overlap
from accshare.device import Device, DeviceKind
from accshare.emit.ir import Offload
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Cast,
    For,
    IntLit,
    Pointer,
    Program,
    Region,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.kernel.ir import (
    Buffer,
    Define,
    Guarded,
    KernelFunction,
    Launch,
    Value,
    Variant,
)
from accshare.poly.ir import Guard, Parameter
from accshare.pragma.ir import Directive, DirectiveKind, Movement
from accshare.source import SourceFile, Span

FLOAT = Scalar("float", 4, True, True)
DOUBLE = Scalar("double", 8, True, True)
UCHAR = Scalar("unsigned char", 1, False, False)
CHAR = Scalar("char", 1, True, False)
SHORT = Scalar("short", 2, True, False)
UINT = Scalar("unsigned int", 4, False, False)
ULONG = Scalar("unsigned long", 8, False, False)
LONG_LONG = Scalar("long long", 8, True, False)
BOOL = Scalar("_Bool", 1, False, False)
NOWHERE = Span(0, 0)
WRITTEN = Span(1, 2)

GPU = Device("test-gpu", DeviceKind.GPU, 8, 32, 1024, 2048, 49152, True, 128, 32, 4, True, 49152, 16, 65536, 128, 48)


def preprocessed(path, text, *flags, compiler="gcc"):
    """The host preprocessor's output for a file with this text."""
    path.write_text(text)
    done = subprocess.run([compiler, "-E", *flags, path.name], cwd=path.parent, capture_output=True, check=True)
    return SourceFile.of(path.name, done.stdout.decode("latin-1"))


def pragmas(source):
    return tuple(Span(m.start(), m.end()) for m in re.finditer(r"^#pragma acc.*$", source.text, re.MULTILINE))


def span(source, text, count=0):
    """Where `text` stands, the count-th time."""
    start = -1
    for _ in range(count + 1):
        start = source.text.index(text, start + 1)
    return Span(start, start + len(text))


def var(name, type_, storage=Storage.PARAMETER, **more):
    return Var(Symbol(name, name, type_, storage, **more), WRITTEN)


def lit(value, type_=INT):
    return IntLit(value, type_, NOWHERE)


def op(operator, lhs, rhs, type_=None):
    kind = INT if operator in {"<", "<=", ">", ">=", "==", "!=", "&&", "||"} else type_ or lhs.type
    return Binary(operator, lhs, rhs, kind, WRITTEN)


def at(base, index):
    element = base.type.target if isinstance(base.type, Pointer) else base.type.element
    return Subscript(base, index, element, WRITTEN)


def cast(expr, type_, implicit=True):
    return Cast(expr, type_, implicit, WRITTEN)


def pointer(type_):
    return Pointer(type_, False, False)


def item(function, axis=0):
    return cast(function(axis), LONG, implicit=False)


def global_id(axis, size):
    return op("+", op("*", item(group_id, axis), lit(size, LONG)), item(local_id, axis))


def directive(source, kind=DirectiveKind.PARALLEL_LOOP, clauses=(), index=0):
    return Directive(kind, tuple(clauses), pragmas(source)[index])


def groups(extent, size):
    """Work-groups of `size` that cover `extent`."""
    return op("/", op("+", cast(extent, LONG), lit(size - 1, LONG)), lit(size, LONG))


@dataclass(frozen=True)
class Example:
    source: SourceFile
    program: Program
    offloads: tuple[Offload, ...]


SAXPY = """\
#include <stdio.h>
#include <stdlib.h>

static int saxpy(int n, float a, const float *x, float *y, int use)
{
  int i = -1;
  if (n > 1000000)
    return 0;
  else
#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n]) if(use)
    for (i = 0; i < n; i++)
      y[i] = a * x[i] + y[i];
  return i * 1000 + __LINE__;
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 100;
  int shift = argc > 2 ? atoi(argv[2]) : 200, use = argc > 3 ? atoi(argv[3]) : 1;
  float *x = malloc(sizeof(float) * 400), *y = x + shift;
  for (int k = 0; k < 400; k++)
    x[k] = (float)k;
  int after = saxpy(n, 2.0f, x, y, use);
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += y[k];
  printf("after=%d line=%d sum=%g\\n", after, __LINE__, sum);
  free(x);
  return 0;
}
"""


def saxpy(path, text=SAXPY, flags=(), compiler="gcc"):
    source = preprocessed(path, text, *flags, compiler=compiler)
    n, a, i = var("n", INT), var("a", FLOAT), var("i", INT, Storage.LOCAL)
    x, y = var("x", Pointer(FLOAT, False, True)), var("y", pointer(FLOAT))
    statement = span(source, "for (i = 0; i < n; i++)\n      y[i] = a * x[i] + y[i]")
    header, update = span(source, "for (i = 0; i < n; i++)"), span(source, "y[i] = a * x[i] + y[i]")
    value = op("+", op("*", a, at(x, i)), at(y, i))
    assign = Assign(at(y, i), "=", value, update)
    here = directive(source)
    loop = For(i.symbol, lit(0), "<", n, 1, Block((assign,), update), here, header, statement)
    region = Region(
        "saxpy_l10",
        "saxpy",
        here,
        (),
        Block((loop,), statement),
        tuple(e.symbol for e in (n, a, i, x, y)),
        (),
        frozenset({"i"}),
        statement,
    )
    plan = DataPlan(
        (Parameter(n.symbol, n), Parameter(a.symbol, a)),
        (
            Datum("x", x, FLOAT, lit(0, LONG), cast(n, LONG), Movement.COPYIN, True, False, False, None),
            Datum("y", y, FLOAT, lit(0, LONG), cast(n, LONG), Movement.COPY, True, True, False, None),
        ),
        (Guard(op(">=", n, lit(0)), 'n is "negative"', statement),),
        (Overlap("x", "y"),),
        "use",
    )
    own = Symbol("i", "i", LONG, Storage.INNER)
    body = (
        Define(own, global_id(0, 64)),
        Guarded(
            op("<", Var(own, NOWHERE), cast(n, LONG)),
            (
                Assign(
                    at(y, Var(own, WRITTEN)),
                    "=",
                    op("+", op("*", a, at(x, Var(own, WRITTEN))), at(y, Var(own, WRITTEN))),
                    update,
                ),
            ),
        ),
    )
    kernel = KernelFunction(
        "saxpy_l10",
        (Buffer("x", FLOAT, False, True), Buffer("y", FLOAT, True, True), Value(n.symbol), Value(a.symbol)),
        (64, 1, 1),
        (),
        (),
        body,
        (),
        (),
        statement,
    )
    launch = Launch("saxpy_l10", (groups(n, 64), lit(1, LONG), lit(1, LONG)), ("x", "y", n, a))
    variant = Variant(GPU, (kernel,), (), (launch,))
    return Example(source, Program((region,), (), ()), (Offload(region, plan, (variant,)),))
