"""Short loops where compilers are left to find the vectors: which of them stay, and which are written out.

Along rows of small blocks (eight by eight) compilers find vectors only while these are loops. Of loops over integers
that are written out here they see one expression of small integers, for which vectors of small ones do; of loops that
they unroll later they don't.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from accshare.frontend.ir import (
    Assign,
    Binary,
    Expr,
    For,
    GeneralFor,
    IntLit,
    Scalar,
    Subscript,
    Symbol,
    Var,
    While,
)
from accshare.islexpr import literal
from accshare.kernel.ir import Loop, Stmt, parts, within
from accshare.kernel.uses import rewritten
from accshare.kernel.vectors.lanes import Lanes
from accshare.records import replace

#: statements that a loop may become
_MOST = 64
#: elements of a row that are worth vectors of their own
_ROW = 8


def rows_kept(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Loops along which elements are stored side by side, and those around them, are not unrolled."""
    return tuple(_kept(stmt) for stmt in stmts)


def _kept(stmt: Stmt) -> Stmt:
    stmt = within(stmt, rows_kept)
    if isinstance(stmt, Loop) and any(_is_row(part) for part in parts(stmt)):
        return replace(stmt, unroll=1)
    return stmt


def _is_row(stmt: Stmt) -> bool:
    """Whether it is a loop over a row of elements that it stores."""
    if not isinstance(stmt, Loop) or len(_values(stmt) or ()) < _ROW:
        return False
    lanes = Lanes(stmt.iterator, _ROW, {})
    targets = (part.target for part in parts(stmt) if isinstance(part, Assign))
    return any(isinstance(t, Subscript) and lanes.stride(t.index) == 1 for t in targets)


def rows_with_loops_left(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A work-item's own iterations that run loops of unknown length stay a loop: written out they are much code, and
    wait for nothing less."""
    return tuple(_left(stmt) for stmt in stmts)


def _left(stmt: Stmt) -> Stmt:
    stmt = within(stmt, rows_with_loops_left)
    if isinstance(stmt, Loop) and stmt.own_axis is not None and any(_is_long(p) for s in stmt.body for p in parts(s)):
        return replace(stmt, unroll=1)
    return stmt


def _is_long(stmt: Stmt) -> bool:
    return isinstance(stmt, For | GeneralFor | While) or (isinstance(stmt, Loop) and stmt.unroll == 1)


def unrolled(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Each loop with constant bounds in its place as the statements it runs, if these are few."""
    return tuple(one for stmt in stmts for one in _written_out(within(stmt, unrolled)))


def _written_out(stmt: Stmt) -> Iterator[Stmt]:
    values = _values(stmt) if isinstance(stmt, Loop) and all(map(_is_plain, stmt.body)) else None
    if isinstance(stmt, Loop) and values and len(values) * len(stmt.body) <= _MOST and not _is_row(stmt):
        for value in values:
            yield from (rewritten(s, _replacing(stmt.iterator, value)) for s in stmt.body)
    else:
        yield stmt


def _values(loop: Loop) -> range | None:
    """The values of the iterator, where they are known."""
    match loop.first, loop.condition:
        case IntLit(low), Binary("<" | "<=" as op, Var(symbol), IntLit(high)) if symbol == loop.iterator:
            return range(low, high + (op == "<="), loop.step)
    return None


def _is_plain(stmt: Stmt) -> bool:
    """Whether it assigns an integer and nothing else."""
    if not isinstance(stmt, Assign) or len(tuple(parts(stmt))) > 1:
        return False
    return isinstance(stmt.target.type, Scalar) and not stmt.target.type.floating


def _replacing(iterator: Symbol, value: int) -> Callable[[Expr], Expr | None]:
    def change(expr: Expr) -> Expr | None:
        if isinstance(expr, Var) and expr.symbol == iterator and isinstance(expr.type, Scalar):
            return literal(value, expr.type)
        return None

    return change
