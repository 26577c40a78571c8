"""Who else reads what loops over rows and columns leave in a work-group's own arrays beside the columns that exist."""

from __future__ import annotations

from accshare.frontend.ir import Builtin, Expr, Intrinsic, Symbol
from accshare.kernel.ir import Guarded, Loop, Stmt, inside, own
from accshare.kernel.uses import loaded, stored
from accshare.kernel.vectors.strips import last_of
from accshare.linear import Sum, sum_of
from accshare.tree import mentions


def is_alone(rows: Loop, columns: Loop, arrays: frozenset[Symbol], body: tuple[Stmt, ...]) -> bool:
    """Whether nothing else in `body` reads elements of `arrays` that are written here without existing: those of a
    group's variables which no column has here, and the panels'."""
    mine = (stored(columns.body) | loaded(columns.body)) & arrays
    return all(_reads_less(s, rows, columns, mine, stored(columns.body)) for s in body)


def _reads_less(stmt: Stmt, rows: Loop, columns: Loop, mine: frozenset[Symbol], written: frozenset[Symbol]) -> bool:
    if stmt == rows or not loaded((stmt,)) & mine:
        return True
    match stmt:
        case Loop(iterator=row, body=(Loop(iterator=column, body=body) as inner,)) if not any(map(inside, body)):
            if not loaded(body) & mine <= written or inner.step != 1:
                return False
            same = row == rows.iterator and column == columns.iterator
            return same and _keys(columns) <= _keys(inner)
        case Loop(body=body) | Guarded(then=body, other=()) if not any(mentions(e, s) for e in own(stmt) for s in mine):
            return all(_reads_less(s, rows, columns, mine, written) for s in body)
    return False


def _keys(columns: Loop) -> frozenset[object]:
    """What is asked of a column."""
    lows = ((Builtin.MAX, s.key) for s in sums_of(columns.first, Builtin.MAX))
    return frozenset((*lows, *((Builtin.MIN, s.key) for s in sums_of(last_of(columns), Builtin.MIN))))


def sums_of(bound: Expr, function: Builtin) -> list[Sum]:
    """The sums of which a bound is the least or the greatest."""
    if isinstance(bound, Intrinsic) and bound.function is function:
        return [s for arg in bound.args for s in sums_of(arg, function)]
    return [sum_of(bound)]
