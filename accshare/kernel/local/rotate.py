"""Strips that every work-item begins at its own place (access reorder, SHARE 3.3.1).

Neighbouring work-items that walk down columns of a tile in step meet in one bank; when each starts one element further
than the one before, they meet in none. What the loop combines is associative, so the order does not matter.
"""

from __future__ import annotations

from accshare.builtins import local_id
from accshare.frontend.ir import (
    INT,
    Expr,
)
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.codegen import Uniform
from accshare.kernel.generate.space import Space, derived
from accshare.kernel.ir import Define, Loop, Stmt, each, within
from accshare.records import replace


def rotated(stmts: tuple[Stmt, ...], strip: Uniform, space: Space) -> tuple[Stmt, ...]:
    """The loops over full strips of `strip`, each work-item beginning at its x."""
    loop = strip.member.loop
    iterator = loop.iterator
    first: Expr = variable(strip.symbol)
    end = binary("<", variable(iterator), binary("+", first, literal(strip.member.size, INT), space.index_type), INT)

    def turn(stmt: Stmt) -> Stmt:
        match stmt:
            case Loop(first=start, condition=condition, step=1, body=body, member=member) if (
                member and member.loop == loop
            ):
                if start != first or condition != end:
                    return stmt
                step = derived(iterator, "turn", INT)
                place = binary("+", variable(step), local_id(0), INT)
                value = binary("+", first, binary("%", place, literal(strip.member.size, INT), INT), space.index_type)
                more = binary("<", variable(step), literal(strip.member.size, INT), INT)
                return replace(
                    stmt, iterator=step, first=literal(0, INT), condition=more, body=(Define(iterator, value), *body)
                )
        return within(stmt, each(turn))

    return tuple(map(turn, stmts))
