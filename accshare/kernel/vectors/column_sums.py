"""Iterations that update the same row of elements of the group's copies, so that there can be vectors along the row.

Whether the copies have the row is asked once for all iterations, instead of for each element. Where they have not, the
arrays are updated, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.atomics import exchange
from accshare.frontend.ir import LONG, Atomic, Expr, Subscript, Symbol, Var
from accshare.islexpr import conjunction, convert, variable
from accshare.kernel.generate.privatize import has_row, in_own_copy
from accshare.kernel.ir import Copied, Guarded, Loop, Stmt, parts, within
from accshare.kernel.uses import changed
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.strips import last_of, scalar_of
from accshare.linear import sum_of
from accshare.reference import root
from accshare.tree import expressions, rewrite


def in_own_copies(stmts: tuple[Stmt, ...], copies: tuple[Copied, ...]) -> tuple[Stmt, ...]:
    """`stmts` with the loops over own iterations once more, where the copies have all that these update; as they are
    where that can't be asked beforehand, or something else is updated."""
    return tuple(_either(stmt, copies) for stmt in stmts)


def _either(stmt: Stmt, copies: tuple[Copied, ...]) -> Stmt:
    if not isinstance(stmt, Loop) or stmt.own_axis != 0:
        return within(stmt, lambda inside: in_own_copies(inside, copies))
    try:
        rows = tuple(dict.fromkeys(_rows(stmt, copies)))
    except NotVector:
        return stmt
    condition = conjunction(rows)
    return stmt if condition is None else Guarded(condition, (_in_copies(stmt, copies),), (stmt,))


def _rows(loop: Loop, copies: tuple[Copied, ...]) -> Iterator[Expr]:
    """The conditions under which copies have all elements that iterations of a loop update, each in a loop inside that
    goes along a row. Raises `NotVector` where these may differ from one iteration to the next."""
    moving = {loop.iterator, *changed(loop.body), *(p.iterator for p in parts(loop) if isinstance(p, Loop))}
    along = [p for p in parts(loop) if isinstance(p, Loop) and any(isinstance(s, Atomic) for s in p.body)]
    updates = [(inner, s) for inner in along for s in inner.body if isinstance(s, Atomic)]
    if len(updates) != sum(isinstance(p, Atomic) for p in parts(loop)):
        raise NotVector
    for inner, update in updates:
        place = exchange(update).place
        copied = next((c for c in copies if c.buffer == root(place)), None)
        if copied is None or not isinstance(place, Subscript):
            raise NotVector
        ends = [_at(place.index, inner.iterator, end) for end in (inner.first, last_of(inner))]
        if any(isinstance(e, Var) and e.symbol in moving for end in ends for e in expressions(end)):
            raise NotVector
        if sum_of(place.index).terms.get(variable(inner.iterator)) != 1:
            raise NotVector
        yield has_row(copied, ends[0], ends[1])


def _at(index: Expr, iterator: Symbol, end: Expr) -> Expr:
    """A subscript in an iteration of a loop."""
    there = rewrite(index, lambda e: convert(end, scalar_of(iterator)) if e == variable(iterator) else None)
    return convert(there, LONG)


def _in_copies(stmt: Stmt, copies: tuple[Copied, ...]) -> Stmt:
    """A statement with its updates done in the copies."""
    if not isinstance(stmt, Atomic):
        return within(stmt, lambda inside: tuple(_in_copies(s, copies) for s in inside))
    copied = next(c for c in copies if c.buffer == root(exchange(stmt).place))
    (update,) = in_own_copy(stmt, copied).body.statements
    return update
