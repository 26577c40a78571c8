"""Vectors of accumulators combined into one, and its lanes by halves."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.builtins import half, lane
from accshare.combining import combine
from accshare.frontend.ir import (
    Assign,
    Declare,
    Expr,
    Scalar,
    Storage,
    Symbol,
)
from accshare.islexpr import variable
from accshare.kernel.ir import Stmt
from accshare.kernel.vectors.lanes import Lanes, vector_of
from accshare.pragma.ir import ReductionOp
from accshare.records import replace
from accshare.source import Span

_NOWHERE = Span(0, 0)


def merged(op: ReductionOp, target: Expr, value: Expr, type_: Scalar, lanes: int) -> tuple[Stmt, ...]:
    """``target op= value`` for vectors of `type_`. Raises `NotVector`."""
    one, other, none = (Symbol(name, name, type_, Storage.INNER) for name in ("one", "other", "none"))
    both = Lanes(none, lanes, {one: target, other: value})
    return both.statement(combine(op, variable(one), variable(other), type_, _NOWHERE))


def ended(op: ReductionOp, target: Expr, whole: Expr, type_: Scalar, lanes: int) -> Iterator[Stmt]:
    """The `lanes` of a vector combined into a scalar, one by one."""
    for k in range(lanes):
        one = lane(whole, k) if lanes > 1 else whole
        yield combine(op, target, one, type_, _NOWHERE)


def folded(op: ReductionOp, target: Expr, vectors: tuple[Expr, ...], held: Symbol, type_: Scalar) -> Iterator[Stmt]:
    """All lanes of the `vectors`, which are called `held`, combined into a scalar."""
    kind = vectors[0].type
    assert isinstance(kind, Scalar)
    whole, lanes = vectors[0], kind.lanes
    for other in vectors[1:] if lanes > 1 else ():
        yield from merged(op, whole, other, type_, lanes)
    while lanes > 2:
        lanes //= 2
        low, high = half(whole, 0), half(whole, 1)
        part = replace(held, unique=f"{held.unique}_x{lanes}", type=vector_of(type_, lanes))
        whole = variable(part)
        yield from (Declare(part, None, _NOWHERE), Assign(whole, "=", low, _NOWHERE))
        yield from merged(op, whole, high, type_, lanes)
    for one in (whole,) if lanes > 1 else vectors:
        yield from ended(op, target, one, type_, lanes)
