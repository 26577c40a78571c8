"""Loops over the iterations of a strip, around a work-item's own ones: several of them at a time.

Rows of a tile are then looked up along by whole vectors, which compilers find, and less goes into counting.
"""

from __future__ import annotations

from math import prod

from accshare.frontend.ir import Binary, Expr, IntLit
from accshare.kernel.ir import Loop, Stmt, each, parts, within
from accshare.records import replace

#: elements of 4 bytes that instructions load at once
_VECTORS = (4, 2)
#: operations that a loop may become: what they look up waits in registers beside what they combine into
_MOST = 128


def by_vectors(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Loops unrolled that run a multiple of a vector's elements, and nothing inside that is not written out."""
    return tuple(map(_unrolled, stmts))


def _unrolled(stmt: Stmt) -> Stmt:
    if not isinstance(stmt, Loop) or stmt.unroll != 1:
        return within(stmt, each(_unrolled))
    inside = [part.unroll for below in stmt.body for part in parts(below) if isinstance(part, Loop)]
    if 1 in inside:
        return within(stmt, each(_unrolled))
    trips = trip_count(stmt.first, stmt.condition, stmt.step)
    fitting = (n for n in _VECTORS if trips and trips % n == 0 and n * prod(inside) <= _MOST)
    return replace(stmt, unroll=next(fitting, 1)) if inside else stmt


def trip_count(first: Expr, condition: Expr, step: int) -> int:
    """How often a loop runs, 0 where that is not known."""
    match first, condition:
        case IntLit(low), Binary("<" | "<=" as op, _, IntLit(high)):
            length = high - low + (op == "<=")
        case _, Binary("<" | "<=" as op, _, Binary("+", start, IntLit(more))) if start == first:
            length = more + (op == "<=")
        case _:
            return 0
    return max(0, (length + step - 1) // step)
