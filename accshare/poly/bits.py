"""Subscripts put together of bits, ``a[(i << 10) | j]``, as the sums that they are: ``a[(i << 10) + j]``."""

from __future__ import annotations

from collections.abc import Mapping

from accshare.frontend.ir import (
    Atomic,
    Binary,
    Block,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Region,
    Stmt,
    Subscript,
    Var,
    While,
)
from accshare.ranges import Interval, interval_of
from accshare.records import replace
from accshare.reference import strip
from accshare.tree import rewrite, rewrite_statement

_Facts = Mapping[Expr, Interval]


def with_bits_added(region: Region) -> Region:
    """`region` with sums in subscripts where the bits of two numbers are apart."""
    body = _statement(region.body, {})
    assert isinstance(body, Block)
    return region if body == region.body else replace(region, body=body)


def _statement(stmt: Stmt, facts: _Facts) -> Stmt:
    match stmt:
        case Block(inner):
            return replace(stmt, statements=tuple(_statement(s, facts) for s in inner))
        case For(body=body):
            inside = _statement(body, {**facts, **_counted(stmt, facts)})
            assert isinstance(inside, Block)
            return replace(stmt, body=inside)
        case While(body=body) | GeneralFor(body=body) | Atomic(body=body):
            inside = _statement(body, facts)
            assert isinstance(inside, Block)
            return replace(stmt, body=inside)
        case If(then=then, other=other):
            sides = [None if side is None else _statement(side, facts) for side in (then, other)]
            assert isinstance(sides[0], Block)
            assert sides[1] is None or isinstance(sides[1], Block)
            return replace(stmt, then=sides[0], other=sides[1])
    return rewrite_statement(stmt, lambda e: _element(e, facts))


def _counted(loop: For, facts: _Facts) -> _Facts:
    """The values of a loop's iterator, where its ends tell them."""
    first, bound = interval_of(loop.first, facts), interval_of(loop.bound, facts)
    if first is None or bound is None or loop.relation == "!=":
        return {}
    less = int(loop.relation in {"<", ">"})
    low, high = (first.low, bound.high - less) if loop.step > 0 else (bound.low + less, first.high)
    return {Var(loop.iterator, loop.header): Interval(low, high)} if low <= high else {}


def _element(expr: Expr, facts: _Facts) -> Expr | None:
    if not isinstance(expr, Subscript):
        return None
    base = rewrite(expr.base, lambda e: _element(e, facts))
    return replace(expr, base=base, index=rewrite(expr.index, lambda e: _sum(e, facts)))


def _sum(expr: Expr, facts: _Facts) -> Expr | None:
    """``x << k | y`` as a sum where `y` has no more than `k` bits."""
    if isinstance(expr, Subscript):
        return _element(expr, facts)
    if not isinstance(expr, Binary) or expr.op not in {"|", "^"}:
        return None
    for high, low in ((expr.lhs, expr.rhs), (expr.rhs, expr.lhs)):
        values = interval_of(low, facts)
        if values is not None and values.low >= 0 and values.high < _unit(high):
            lhs, rhs = (rewrite(side, lambda e: _sum(e, facts)) for side in (expr.lhs, expr.rhs))
            return replace(expr, op="+", lhs=lhs, rhs=rhs)
    return None


def _unit(expr: Expr) -> int:
    """A power of two that a number is a multiple of."""
    match strip(expr):
        case Binary("<<", _, by) if isinstance(strip(by), IntLit):
            count = strip(by)
            assert isinstance(count, IntLit)
            return 1 << count.value if 0 <= count.value < 64 else 1
        case Binary("*", lhs, rhs):
            return _unit(lhs) * _unit(rhs)
        case Binary("|" | "+" | "^", lhs, rhs):
            return min(_unit(lhs), _unit(rhs))
        case IntLit(value) if value > 0:
            return value & -value
    return 1
