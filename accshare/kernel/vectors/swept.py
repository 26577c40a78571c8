"""Columns that are added up: all of a tile run a few iterations of the loop inside before they run the next ones.

A register tile of some columns alone would go down the rows of a matrix, a line or four of each row and page, which no
processor fetches ahead. What columns add up waits in memory meanwhile, a few rows at a time.
"""

from __future__ import annotations

from accshare.frontend.ir import Declare, Subscript, Var
from accshare.islexpr import variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Loop, Stmt, parts
from accshare.kernel.uses import changed, stored, symbols
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.shape import own_arrays
from accshare.kernel.vectors.strips import after_strips, last_of, nths, scalar_of, strided
from accshare.records import replace
from accshare.tree import expressions


def swept(stmts: tuple[Stmt, ...], rows: int) -> tuple[Stmt, ...]:
    """`stmts` with the loops over own columns cut apart where these run one loop each, which goes on by so many `rows`
    at a time."""
    return tuple(s for stmt in stmts for s in (_columns(stmt, rows) or (stmt,)))


def _columns(columns: Stmt, rows: int) -> tuple[Stmt, ...]:
    """Nothing where that is not legal: iterations of the loop inside pass on what is in variables, or run otherwise in
    each column."""
    if not isinstance(columns, Loop) or columns.own_axis != 0:
        return ()
    inner = [k for k, s in enumerate(columns.body) if any(isinstance(part, Loop) for part in parts(s))]
    loop = columns.body[inner[0]] if len(inner) == 1 else None
    if not isinstance(loop, Loop) or any(isinstance(part, Loop) for s in loop.body for part in parts(s)):
        return ()
    before, after = columns.body[: inner[0]], columns.body[inner[0] + 1 :]
    if not _are_apart(before, loop, after) or not _is_same(loop, columns):
        return ()
    try:
        high, type_ = last_of(loop), scalar_of(loop.iterator)
    except NotVector:
        return ()
    start, rest = (derived(loop.iterator, name, type_) for name in ("rows", "left"))
    some = replace(columns, body=(nths(loop.iterator, start, rows, loop.body),))
    single = replace(loop, first=variable(rest), unroll=0)
    first = (replace(columns, body=before),) if before else ()
    return (
        *first,
        replace(strided(loop, start, loop.first, high, rows), body=(some,)),
        Define(rest, after_strips(loop.first, high, rows, type_)),
        replace(columns, body=(single, *after)),
    )


def _is_same(loop: Loop, columns: Loop) -> bool:
    """Whether a loop runs alike for all columns, whatever these store."""
    used = [e for end in (loop.first, loop.condition) for e in expressions(end)]
    changed = stored(columns.body) | {columns.iterator}
    return not any(isinstance(e, Subscript) or (isinstance(e, Var) and e.symbol in changed) for e in used)


def _are_apart(before: tuple[Stmt, ...], loop: Loop, after: tuple[Stmt, ...]) -> bool:
    """Whether a column has nothing in variables but what one of its parts sets and uses alone."""
    sides = before, loop.body, after
    own = [frozenset(changed(side)) for side in sides]
    alone = all(own[k].isdisjoint(symbols(sides[other])) for k in range(3) for other in range(3) if other != k)
    return (
        alone and not own_arrays((loop,)) and own[1] <= {s.symbol for s in loop.body if isinstance(s, Define | Declare)}
    )
