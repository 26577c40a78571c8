"""Rows that change in place, in vectors that begin at lines of the cache.

No iteration of ``a[i][j] -= b[i][j]`` may run twice, so that what is left at the ends of a row would be narrower
vectors. Two that overlap may be stored one behind the other, though, where both are computed before: what they share
gets the same value twice. So one more vector at either end is enough, and all others lie in a line of the cache each.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import INT, Assign, Binary, Conditional, Expr, Storage, Subscript, Symbol, Var
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt
from accshare.kernel.vectors.neighbours import in_row, shifted
from accshare.kernel.vectors.peeling import past
from accshare.kernel.vectors.shape import Rows
from accshare.kernel.vectors.strips import after_strips, at_least, scalar_of, strided
from accshare.records import replace
from accshare.reference import root
from accshare.source import Span
from accshare.tree import expressions, rewrite

_NOWHERE = Span(0, 0)


def overlapped(
    columns: Loop, one: tuple[Stmt, ...], whole: tuple[Stmt, ...], rows: Rows, high: Expr, lanes: int, path: str
) -> tuple[Stmt, ...]:
    """The loop over `columns` of `rows` that runs the vectors of `one` row, `whole` for all of them, with `lanes`
    columns or more up to `high`; nothing where they can't be computed before they are stored."""
    every = _once_each(one, rows)
    if not every:
        return ()
    column, type_ = columns.iterator, scalar_of(columns.iterator)
    first: Expr = columns.first
    before: tuple[Stmt, ...] = ()
    early = past(columns, rows, high, lanes, lanes)
    if early is not None:
        begin, after = (derived(column, f"{name}{path}", type_) for name in ("line", "after"))
        missing = binary("-", literal(lanes, INT), variable(early.symbol), INT)
        some = Binary("!=", variable(early.symbol), literal(0, INT), INT, _NOWHERE)
        behind = Conditional(some, binary("+", missing, literal(lanes, INT), INT), literal(0, INT), INT, _NOWHERE)
        two = (Define(begin, binary("+", first, missing, type_)), *_pair(every, column, first, variable(begin)))
        before = (early, Guarded(some, two), Define(after, binary("+", first, behind, type_)))
        first = variable(after)
    beside = shifted(one, rows, column, first)
    rest = derived(column, f"last{path}", type_)
    end = binary("-", after_strips(first, high, lanes, type_), literal(lanes, INT), type_)
    strips = strided(columns, column, first, high, lanes)
    strips = replace(
        strips,
        condition=at_least(variable(column), high, 2 * lanes),
        body=whole if beside is None else beside.body,
    )
    return (
        *before,
        *(() if beside is None else beside.before),
        strips,
        Define(rest, end),
        *_pair(every, column, variable(rest), binary("-", high, literal(lanes - 1, INT), type_)),
    )


def _once_each(one: tuple[Stmt, ...], rows: Rows) -> tuple[Assign, ...]:
    """What all rows store, if none of it is loaded but where it is stored."""
    if rows.row is None or rows.start is None or rows.names:
        return ()
    found = [s for nth in range(rows.count) for s in in_row(one, rows.row, rows.start, nth)]
    stored = [root(s.target) for s in found]
    if len(found) < rows.count * len(one) or len(set(stored)) < len(one):
        return ()
    alone = all(e == s.target or root(e) not in stored for s in found for e in _loads(s))
    return tuple(found) if alone else ()


def _loads(stmt: Assign) -> Iterator[Subscript]:
    return (e for e in expressions(stmt.value) if isinstance(e, Subscript))


def _pair(every: tuple[Assign, ...], column: Symbol, one: Expr, other: Expr) -> Iterator[Stmt]:
    """Two vectors that may overlap: computed first, then stored."""
    stores: list[Assign] = []
    for nth, place in enumerate((one, other)):
        for number, stmt in enumerate(every):
            there = replace(stmt, target=_at(stmt.target, column, place), value=_at(stmt.value, column, place))
            name = f"{column.unique}_end{nth}_{number}"
            value = Symbol(name, name, stmt.target.type, Storage.INNER)
            yield Define(value, there.value)
            stores.append(replace(there, value=variable(value)))
    yield from stores


def _at(expr: Expr, column: Symbol, place: Expr) -> Expr:
    return rewrite(expr, lambda e: place if isinstance(e, Var) and e.symbol == column else None)
