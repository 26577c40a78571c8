"""Proof that iterations which update rows of a group's own copies without asking for each element stay in these rows.

Above them stands a condition that says that a copy has a row. Whatever updates an element below, or a vector of them,
must not come to what lies behind the last element of that row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.combining import combined
from accshare.frontend.ir import Assign, Binary, Expr, IntLit, Scalar, Subscript, Symbol, Var
from accshare.kernel.ir import Copied, Define, Guarded, Loop, Stmt, inside
from accshare.kernel.uses import used_expressions
from accshare.linear import Sum, sum_of

#: the greatest value of variables that count, as far as it is known
_Most = Mapping[Symbol, Sum]


def row_updates(stmts: tuple[Stmt, ...], copied: Copied) -> Iterator[Stmt]:
    """The updates of a copy, by its operator alone, of elements up to the last one of a row that it has."""
    yield from _updates(stmts, copied, (), {})


def _updates(stmts: tuple[Stmt, ...], copied: Copied, lasts: tuple[Sum, ...], most: _Most) -> Iterator[Stmt]:
    for stmt in stmts:
        match stmt:
            case Guarded(condition, then, other):
                yield from _updates(then, copied, (*lasts, *_lasts(condition, copied)), most)
                yield from _updates(other, copied, lasts, most)
            case Loop():
                yield from _updates(stmt.body, copied, lasts, {**most, **_ends(stmt, most)})
            case Define(symbol, value, False):
                most = {**most, symbol: _greatest(sum_of(value), most)}
            case Assign(Subscript(Var(own), index, type_) as target) if own == copied.own:
                lanes = type_.lanes if isinstance(type_, Scalar) else 1
                last = _greatest(sum_of(index), most).plus(Sum(lanes - 1))
                fits = any(_is_at_most(last, end) for end in lasts)
                times = sum(isinstance(e, Var) and e.symbol == own for e in used_expressions((stmt,)))
                if fits and times == 1 + (stmt.op == "=") and combined(stmt, target) is copied.op:
                    yield stmt
            case _:
                yield from _updates(inside(stmt), copied, (), most)


def _lasts(condition: Expr, copied: Copied) -> Iterator[Sum]:
    """The last elements of the rows that a condition says a copy has."""
    match condition:
        case Binary("&&", Binary(">=", _, IntLit(value=0)), Binary("<", last, Var(kept))) if kept == copied.kept:
            yield sum_of(last)
        case Binary("&&", lhs, rhs):
            yield from _lasts(lhs, copied)
            yield from _lasts(rhs, copied)


def _ends(loop: Loop, most: _Most) -> dict[Symbol, Sum]:
    """The greatest value of a loop's iterator, where its condition tells."""
    match loop.condition:
        case Binary("<" | "<=" as op, lhs, bound) if loop.step > 0:
            rest = sum_of(lhs).plus(sum_of(Var(loop.iterator, bound.span)), -1)
            if not rest.terms:
                end = _greatest(sum_of(bound), most)
                return {loop.iterator: end.plus(Sum(rest.constant + (op == "<")), -1)}
    return {}


def _greatest(value: Sum, most: _Most) -> Sum:
    """A sum with the greatest values of the variables that it counts by."""
    result = Sum(value.constant)
    for term, count in value.terms.items():
        known = most.get(term.symbol) if isinstance(term, Var) and count > 0 else None
        result = result.plus(Sum(0, {term: 1}) if known is None else known, count)
    return result


def _is_at_most(one: Sum, other: Sum) -> bool:
    way = other.plus(one, -1)
    return not way.terms and way.constant >= 0
