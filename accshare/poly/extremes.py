"""``if (x < m[i]) m[i] = x`` in a loop over which ``m[i]`` stays the same element: ``m[i] = x < m[i] ? x : m[i]``.

What is stored in every iteration stays in a register while the loop runs, in vectors as any sum. Elsewhere the
condition saves memory that would be written with what it has.
"""

from __future__ import annotations

from accshare.combining import combined
from accshare.frontend.ir import (
    Assign,
    Block,
    Cast,
    Conditional,
    Expr,
    For,
    GeneralFor,
    If,
    Region,
    Stmt,
    Subscript,
    While,
)
from accshare.pragma.ir import ReductionOp
from accshare.records import replace
from accshare.tree import expressions, mentions

_EXTREMES = {ReductionOp.MAX, ReductionOp.MIN}


def with_extremes_stored(region: Region) -> Region:
    """`region` with what loops take the greatest or the least of stored in each of their iterations."""
    return replace(region, body=_block(region.body, None))


def _block(block: Block, loop: For | None) -> Block:
    return replace(block, statements=tuple(_statement(s, loop) for s in block.statements))


def _statement(stmt: Stmt, loop: For | None) -> Stmt:
    """A statement that stands in a loop, if it does so whatever the data are."""
    match stmt:
        case If(condition, Block(statements=(Assign(Subscript() as target, "=", value),)), None):
            if loop is not None and _stays(target, loop) and combined(stmt, target) in _EXTREMES:
                chosen = value if value.type == target.type else Cast(value, target.type, False, value.span)
                either = Conditional(condition, chosen, target, target.type, stmt.span)
                return Assign(target, "=", either, stmt.span)
        case Block():
            return _block(stmt, loop)
        case For(body=body):
            return replace(stmt, body=_block(body, stmt))
        case While(body=body) | GeneralFor(body=body):
            return replace(stmt, body=_block(body, None))
        case If(then=then, other=other):
            return replace(stmt, then=_block(then, None), other=None if other is None else _block(other, None))
    return stmt


def _stays(target: Subscript, loop: For) -> bool:
    """Whether it is the same element in all iterations of a loop, as far as its text tells."""
    if mentions(target, loop.iterator):
        return False
    place: Expr = target
    while isinstance(place, Subscript):
        if any(isinstance(e, Subscript) for e in expressions(place.index)):
            return False
        place = place.base
    return True
