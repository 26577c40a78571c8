"""How large the numbers are that statements compute with: a vector of them has to fit in a register."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.frontend.ir import Cast, Declare, Expr, FloatLit, For, GeneralFor, Scalar, Stmt, Subscript
from accshare.tree import operands, own_expressions, statements

#: bytes of what smaller integers are promoted to
_INT = 4


def widest(bodies: Iterable[Stmt]) -> int:
    """Bytes of the largest number that is loaded, computed or stored. Indices and the bounds of loops don't count."""
    every = [s for body in bodies for s in statements(body) if not isinstance(s, For | GeneralFor)]
    types = [e.type for s in every for own in own_expressions(s) for e in _values(own)]
    types += [s.symbol.type for s in every if isinstance(s, Declare)]
    return max([_INT, *(type_.bytes for type_ in types if isinstance(type_, Scalar))])


def _values(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything below it that is not an index, nor a constant that a compiler converts."""
    yield expr
    if isinstance(expr, Cast) and isinstance(expr.operand, FloatLit):
        return
    for part in (expr.base,) if isinstance(expr, Subscript) else operands(expr):
        yield from _values(part)
