"""Rows whose lines fall into the same cache sets, because they lie a power of two apart."""

from __future__ import annotations

from accshare.frontend.ir import INT, LONG, Expr, IntLit, Scalar, Subscript, Symbol
from accshare.islexpr import binary, literal, step
from accshare.kernel.ir import Stmt
from accshare.kernel.uses import used_expressions
from accshare.mapping.ir import CacheSetConflict
from accshare.tree import mentions

#: bytes of a line of a cache
_LINE = 64


def conflicts_where(
    stmts: tuple[Stmt, ...], row: Symbol, column: Symbol, conflict: CacheSetConflict, lanes: int, lines: int = 1
) -> Expr:
    """Whether the rows of an array that `stmts` go over in vectors of so many `lanes`, iterations of `row` or those
    that the conflict is `between`, lie a multiple of `conflict.bytes` apart, or some `lines` more or less; a constant
    where that is known. They are two lines at least where a vector is as long as one: most loads straddle two, and wait
    for what is stored in either."""
    row = conflict.between or row
    for expr in used_expressions(stmts):
        if not isinstance(expr, Subscript) or not isinstance(expr.type, Scalar) or not mentions(expr.index, column):
            continue
        near = _LINE * max(lines, 1 + (lanes * expr.type.bytes >= _LINE))
        apart = step(expr.index, row)
        if isinstance(apart, IntLit) and apart.value:
            return literal(int((apart.value * expr.type.bytes + near) % conflict.bytes < 2 * near), INT)
        if apart is not None and not isinstance(apart, IntLit):
            distance = binary("*", apart, literal(expr.type.bytes, LONG), LONG)
            after = binary("%", binary("+", distance, literal(near, LONG), LONG), literal(conflict.bytes, LONG), LONG)
            return binary("<", after, literal(2 * near, LONG), INT)
    return literal(0, INT)
