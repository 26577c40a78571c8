"""Loops inside of register tiles that begin or end with the row, as those of a product with a triangular matrix do.

``for (k = 0; k < i; k++)`` is two loops for some rows together: over what all of them have, and over what single ones
have left; before these one over what single ones have first, where loops begin with the row. Each row runs its own
iterations in their order, by far most of them beside the other rows'.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from accshare.builtins import maximum, minimum
from accshare.frontend.ir import INT, Binary, Builtin, Declare, Expr, Symbol, Var
from accshare.islexpr import binary, conjunction, literal, variable
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, each, within
from accshare.kernel.uses import declared
from accshare.kernel.vectors.alone import sums_of
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.strips import last_of, scalar_of
from accshare.linear import Sum
from accshare.records import replace
from accshare.source import Span
from accshare.tree import mentions, rewrite

_NOWHERE = Span(0, 0)


def in_common(loop: Loop, row: Symbol, first: Expr, last: Expr) -> tuple[Loop, ...] | None:
    """The loops that the rows from `first` to `last` run together, where theirs begin or end with the row; what only
    some of them have is guarded. None where bounds don't hang on the row, or not one by one."""
    ends = _ends(loop, row, first, last)
    if ends is None:
        return None
    type_, one = scalar_of(loop.iterator), literal(1, scalar_of(loop.iterator))
    begun = _not_after(loop.first, variable(loop.iterator))
    not_ended = _not_after(variable(loop.iterator), last_of(loop))
    result: list[Loop] = []
    if ends.lowest != ends.begin:
        until = minimum(binary("-", ends.begin, one, type_), ends.highest, type_)
        own = binary("&&", begun, not_ended, INT) if ends.end != ends.highest else begun
        result.append(_from(loop, ends.lowest, until, (Guarded(own, loop.body),)))
    result.append(_from(loop, ends.begin, ends.end, loop.body))
    if ends.end != ends.highest:
        after = maximum(ends.begin, binary("+", ends.end, one, type_), type_)
        result.append(_from(loop, after, ends.highest, (Guarded(not_ended, loop.body),)))
    return tuple(result)


def of_any(loop: Loop, rows: Loop) -> Loop:
    """A loop over what any of the rows has, of which there are some; the loop itself where that is not known."""
    ends = _ends(loop, rows.iterator, rows.first, last_of(rows))
    return loop if ends is None else _from(loop, ends.lowest, ends.highest, loop.body)


class _Ends(NamedTuple):
    """Where the loops of some rows begin and end: the first one, the last one to begin, the first to end, the last."""

    lowest: Expr
    begin: Expr
    end: Expr
    highest: Expr


def _ends(loop: Loop, row: Symbol, first: Expr, last: Expr) -> _Ends | None:
    """Where the loops of the rows from `first` to `last` begin and end; None where that doesn't hang on the row, or
    doesn't change with it one by one."""
    try:
        low, high = loop.first, last_of(loop)
    except NotVector:
        return None
    ways = _way(low, row, Builtin.MAX), _way(high, row, Builtin.MIN)
    if None in ways or ways == (0, 0):
        return None
    ends = first, last
    begins = (_at(low, row, e) for e in (ends if ways[0] == 1 else ends[::-1]))
    stops = (_at(high, row, e) for e in (ends if ways[1] == 1 else ends[::-1]))
    return _Ends(*begins, *stops)


def _from(loop: Loop, first: Expr, last: Expr, body: tuple[Stmt, ...]) -> Loop:
    whole = body is loop.body
    condition = _not_after(variable(loop.iterator), last)
    return replace(loop, first=first, condition=condition, body=body, unroll=loop.unroll if whole else 1)


def _not_after(one: Expr, other: Expr) -> Binary:
    return Binary("<=", one, other, INT, _NOWHERE)


def _at(bound: Expr, row: Symbol, value: Expr) -> Expr:
    return rewrite(bound, lambda e: value if isinstance(e, Var) and e.symbol == row else None)


def _way(bound: Expr, row: Symbol, function: Builtin) -> int | None:
    """By how much a bound, the greatest or the least of some sums, grows with the row at most: 1, 0 or -1; None where
    it changes in another way."""
    sums = sums_of(bound, function)
    ways = {s.terms.get(variable(row), 0) for s in sums}
    plain = not any(mentions(term, row) for s in sums for term in s.terms if term != variable(row))
    if not plain or not (ways <= {0, 1} or ways <= {0, -1}):
        return None
    return max(ways, key=abs)


def without_certain(stmt: Stmt) -> Stmt:
    """A statement in which guards around what columns do, if they hang on the row, ask no more than what is not so in
    each of the rows around."""
    match stmt:
        case Loop(step=1, body=(Loop() as columns,)) if stmt.own_axis == 1 and columns.own_axis == 0:
            body = tuple(one for k in range(len(columns.body)) for one in _asked(columns.body[k:], stmt))
            return stmt if body == columns.body else replace(stmt, body=(replace(columns, body=body),))
    return within(stmt, each(without_certain))


def _asked(stmts: tuple[Stmt, ...], rows: Loop) -> tuple[Stmt, ...]:
    """The first of some statements; where its guard asks nothing, what is guarded, unless that declares what those
    behind it declare, too."""
    stmt, *behind = stmts
    match stmt:
        case Guarded(Binary("<=", low, high) as asked, then, ()) if mentions(asked, rows.iterator):
            left = conjunction(tuple(_uncertain(low, high, rows)))
            if left is not None:
                return (Guarded(left, then),)
            own = {s.symbol for s in then if isinstance(s, Define | Declare)}
            return then if own.isdisjoint(declared(behind)) else (stmt,)
    return (stmt,)


def _uncertain(low: Expr, high: Expr, rows: Loop) -> Iterator[Expr]:
    """What is left to ask of whether the greatest of some sums is no more than the least of others."""
    for own in sums_of(low, Builtin.MAX):
        for other in sums_of(high, Builtin.MIN):
            if not _is_positive(other.plus(own, -1), rows):
                yield _not_after(own.expr, other.expr)


def _is_positive(away: Sum, rows: Loop) -> bool:
    """Whether a sum is zero or more in each row, none of which is before the first or behind the last one."""
    row = variable(rows.iterator)
    times = away.terms.get(row, 0)
    ends = sums_of(rows.first, Builtin.MAX) if times > 0 else sums_of(last_of(rows), Builtin.MIN)
    rest = away.plus(Sum(0, {row: 1}), -times)
    least = (rest.plus(end, times) for end in ends) if times else (away,)
    return any(not one.terms and one.constant >= 0 for one in least)
