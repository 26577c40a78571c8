"""Loops cut into strips of several iterations."""

from __future__ import annotations

from accshare.builtins import maximum, minimum
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Call,
    Expr,
    Scalar,
    Symbol,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Loop, Stmt
from accshare.kernel.uses import symbols, used_expressions
from accshare.kernel.vectors.lanes import NotVector, is_vector
from accshare.records import replace
from accshare.source import Span
from accshare.vectormath import plain

_NOWHERE = Span(0, 0)
#: functions that are written out beside each other: of what goes on in these, the loop around them is a small part
_CALLS = 4


def scalar_of(symbol: Symbol) -> Scalar:
    """The type of an iterator or an accumulator."""
    assert isinstance(symbol.type, Scalar)
    return symbol.type


def at_least(first: Expr, high: Expr, count: int) -> Expr:
    """Whether there are so many from `first` to `high`."""
    last = binary("+", first, literal(count - 1, INT), INT)
    return Binary("<=", last, high, INT, _NOWHERE)


def overlapped_epilogue(
    loop: Loop,
    start: Symbol,
    first: Expr,
    high: Expr,
    width: int,
    body: tuple[Stmt, ...],
    past: Symbol | None = None,
) -> Loop:
    """The loop over tiles of `width` iterations from `start` on, of which the last one ends where the loop ends. The
    second one begins `past` iterations early."""
    type_ = INT if first.type == high.type == INT else LONG
    following = derived(loop.iterator, "next", type_)
    last = binary("-", high, literal(width - 1, type_ if high.type == INT else INT), type_)
    inside: Expr = minimum(variable(following), last, type_)
    if past:
        inside = maximum(first, inside, type_)
        first = binary("-", first, variable(past), type_)
    place = Define(start, inside)
    condition = Binary("<=", variable(following), high, INT, _NOWHERE)
    return replace(
        loop, iterator=following, first=first, condition=condition, step=width, unroll=1, body=(place, *body)
    )


def strided(loop: Loop, start: Symbol, first: Expr, high: Expr, step: int) -> Loop:
    """The loop over register tiles of `step` iterations, from `start` on each."""
    return replace(
        loop, iterator=start, first=first, condition=at_least(variable(start), high, step), step=step, unroll=1
    )


def last_of(loop: Loop) -> Expr:
    """The last value of the iterator. Raises `NotVector` where the condition does not tell."""
    if loop.step != 1:
        raise NotVector
    match loop.condition:
        case Binary("<=", Var(symbol), bound) if symbol == loop.iterator:
            return bound
        case Binary("<", Var(symbol), bound) if symbol == loop.iterator:
            return binary("-", bound, literal(1, INT), scalar_of(loop.iterator))
    raise NotVector


def after_strips(first: Expr, high: Expr, width: int, type_: Scalar) -> Expr:
    """Where register tiles of `width` from `first` on end; at most one after `high` where there are none."""
    count = binary("+", binary("-", high, first, type_), literal(1, INT), type_)
    whole = binary("*", binary("/", count, literal(width, INT), type_), literal(width, INT), type_)
    return binary("+", first, whole, type_)


def counted(iterator: Symbol, count: int, body: tuple[Stmt, ...]) -> Loop:
    """`body` for 0 to ``count - 1``, unrolled."""
    condition = Binary("<", variable(iterator), literal(count, INT), INT, _NOWHERE)
    return Loop(iterator, literal(0, INT), condition, 1, body, count, None)


def nths(symbol: Symbol, start: Symbol, count: int, body: tuple[Stmt, ...], apart: int = 1) -> Loop:
    """`body` for `count` values of an iterator from `start` on, `apart` from one another."""
    nth = derived(symbol, "nth", INT)
    place = binary("+", variable(start), binary("*", variable(nth), literal(apart, INT), INT), scalar_of(symbol))
    loop = counted(nth, count, (Define(symbol, place), *body) if symbol in symbols(body) else body)
    calls = sum(isinstance(e, Call) and is_vector(e) and plain(e) is not None for e in used_expressions(body))
    return replace(loop, unroll=min(count, max(_CALLS // calls, 1))) if calls else loop
