"""How much there is to compute in a statement."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import Assign, Binary, Call, Expr, Member, Stmt, Subscript, Unary
from accshare.tree import operands, own_expressions, statements

#: divisions, roots and functions take as long as this many additions
_SLOW = 8


def operations(body: Stmt, fused: bool) -> float:
    """The operations of a statement on what it computes, not on where that is; with `fused`, a multiplication whose
    result is added costs nothing."""
    return max(1.0, sum(_operations(e, fused) for e in _expressions(body)))


def _expressions(body: Stmt) -> Iterator[Expr]:
    for part in statements(body):
        if isinstance(part, Assign) and part.op != "=":
            yield Binary(part.op[:-1], part.target, part.value, part.value.type, part.span)
        else:
            yield from own_expressions(part)


def _operations(expr: Expr, fused: bool) -> float:
    if isinstance(expr, Subscript | Member):
        return 0.0
    own = 0.0
    match expr:
        case Binary("/" | "%") | Call():
            own = _SLOW
        case Binary("+" | "-", lhs, rhs):
            multiplied = any(isinstance(side, Binary) and side.op == "*" for side in (lhs, rhs))
            own = 0.0 if fused and multiplied else 1.0
        case Binary() | Unary():
            own = 1.0
    return own + sum(_operations(part, fused) for part in operands(expr))
