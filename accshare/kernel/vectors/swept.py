"""Columns that are added up: all of a tile run a few iterations of the loop inside before they run the next ones.

A register tile of some columns alone would go down the rows of a matrix, a line or four of each row and page, which no
processor fetches ahead. What columns add up waits in memory meanwhile, a few rows at a time.
"""

from __future__ import annotations

from accshare.frontend.ir import INT, Declare, Expr, Scalar, Subscript, Symbol, Var
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.several import up_to_last
from accshare.kernel.generate.space import Space, derived
from accshare.kernel.ir import Define, Loop, Stmt, parts
from accshare.kernel.uses import changed, rewritten, stored, symbols
from accshare.kernel.vectors.ahead import rows_below
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.shape import own_arrays
from accshare.kernel.vectors.strips import after_strips, last_of, scalar_of, strided
from accshare.mapping.ir import RegisterTile
from accshare.records import dataclass, replace
from accshare.tree import expressions

#: a tile has room for so many variables of each of its columns
_MOST = 4
#: how many times as many rows below those that run others are asked for
_AHEAD = 2


@dataclass(frozen=True, slots=True)
class Swept:
    """The code of a work-item whose columns run together; it has the variables called `expanded` once for each."""

    body: tuple[Stmt, ...]
    expanded: frozenset[str]


def swept(stmts: tuple[Stmt, ...], space: Space, tile: RegisterTile) -> Swept | None:
    """`stmts` with the loop over own columns cut apart where these run one loop each, which goes on by as many rows at
    a time as the `tile` sweeps; None where there is none such, or columns would run otherwise."""
    stmts = up_to_last(space, stmts)
    (coordinate,) = space.coordinates
    scalars = _own_scalars(space)
    place = [k for k, s in enumerate(stmts) if isinstance(s, Loop) and s.own_axis == 0]
    if len(place) != 1:
        return None
    columns = stmts[place[0]]
    assert isinstance(columns, Loop)
    several = [symbol for symbol in _kept(columns) if symbol in scalars]
    if len(several) > _MOST:
        return None
    number = binary("-", variable(columns.iterator), variable(coordinate.symbol), scalar_of(coordinate.symbol))

    def expanded(expr: Expr) -> Expr | None:
        if isinstance(expr, Var) and expr.symbol in several:
            return Subscript(expr, number, expr.type, expr.span)
        return None

    body = _columns(replace(columns, body=tuple(rewritten(s, expanded) for s in columns.body)), tile.sweep, tile.lanes)
    names = frozenset(scalars[symbol] for symbol in several)
    return Swept((*stmts[: place[0]], *body, *stmts[place[0] + 1 :]), names) if body else None


def _own_scalars(space: Space) -> dict[Symbol, str]:
    """The numbers that a work-item has for itself, but for those that statements declare."""
    own = (v for v in space.scop.variables if v.name in space.partition.nest.private)
    return {v.base.symbol: v.name for v in own if isinstance(v.base, Var) and isinstance(v.base.type, Scalar)}


def _kept(columns: Loop) -> tuple[Symbol, ...]:
    """The variables that a column sets in a loop inside and doesn't declare there, or around it."""
    declared = {p.symbol for p in parts(columns) if isinstance(p, Define | Declare)}
    loops = [s for s in columns.body if isinstance(s, Loop)]
    return tuple(s for s in changed(columns.body) if s in symbols(loops) and s not in declared)


def _columns(columns: Loop, rows: int, lanes: int) -> tuple[Stmt, ...]:
    """Nothing where that is not legal: iterations of the loop inside pass on what is in variables, or run otherwise in
    each column."""
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
    end = binary("+", variable(start), literal(rows, INT), type_)
    more = binary("<", variable(loop.iterator), end, INT)
    body = (*loop.body, *rows_below(columns, loop, _AHEAD * rows, lanes))
    some = replace(columns, body=(replace(loop, first=variable(start), condition=more, unroll=rows, body=body),))
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
    moving = stored(columns.body) | {columns.iterator}
    return not any(isinstance(e, Subscript) or (isinstance(e, Var) and e.symbol in moving) for e in used)


def _are_apart(before: tuple[Stmt, ...], loop: Loop, after: tuple[Stmt, ...]) -> bool:
    """Whether a column has nothing in variables but what one of its parts sets and uses alone."""
    sides = before, loop.body, after
    own = [frozenset(changed(side)) for side in sides]
    alone = all(own[k].isdisjoint(symbols(sides[other])) for k in range(3) for other in range(3) if other != k)
    return (
        alone and not own_arrays((loop,)) and own[1] <= {s.symbol for s in loop.body if isinstance(s, Define | Declare)}
    )
