"""Sums of products of two numbers of 16 bits: processors have one instruction for two products and their sum.

Compilers know it (``pmaddwd``) and find it in the loop as it stands. Vectors of our own, which convert both sides to
``int`` first, take twice as many instructions. Squares have one side to convert, and several products wait for each
other in the one sum that compilers make of them: these are better off in vectors of our own.
"""

from __future__ import annotations

from accshare.frontend.ir import Assign, Binary, Expr, Scalar
from accshare.mapping.patterns import lies_along, stays, trips
from accshare.poly.ir import Access, Statement, VariableKind
from accshare.reference import strip
from accshare.schedule.ir import Kernel

#: bytes of a side and of the sum
_SIDE, _SUM = 2, 4
#: numbers that a vector has at most: shorter loops would not fill one
_VECTOR = 32


def adds_up_short_products(kernel: Kernel) -> bool:
    """Whether that is all that the loops inside an iteration do, a product at a time, and these go along the rows of
    both sides, unlike neighbouring iterations."""
    inside = [s for s in kernel.statements if len(s.loops) > kernel.depth]
    return bool(inside) and not kernel.reductions and all(_adds_up(s, kernel) for s in inside)


def _adds_up(statement: Statement, kernel: Kernel) -> bool:
    body, innermost = statement.body, statement.loops[-1]
    if not isinstance(body, Assign) or not _is_signed(body.target, _SUM) or trips(innermost) < _VECTOR:
        return False
    sides = _sides(body)
    moving = [a for a in _elements(statement) if a.reference != body.target]
    if len(set(sides)) != 2:
        return False
    if {a.reference for a in moving} != set(sides) or not all(_is_signed(s, _SIDE) for s in sides):
        return False
    if not all(lies_along(a, statement, innermost) for a in moving):
        return False
    columns = [member.loop for member in kernel.grid if member.axis == 0]
    beside = all(lies_along(a, statement, node) or stays(a, statement, node) for a in moving for node in columns)
    return bool(columns) and not beside


def _sides(stmt: Assign) -> tuple[Expr, ...]:
    """What is multiplied with each other and added up."""
    match stmt.op, strip(stmt.value):
        case ("+=", Binary("*", lhs, rhs) as product):
            pass
        case ("=", Binary("+", total, Binary("*", lhs, rhs) as product)) if strip(total) == stmt.target:
            pass
        case _:
            return ()
    return (strip(lhs), strip(rhs)) if _is_signed(product, _SUM) else ()


def _elements(statement: Statement) -> list[Access]:
    return [a for a in statement.accesses if a.variable.kind is VariableKind.MEMORY and a.subscripts]


def _is_signed(expr: Expr, bytes_: int) -> bool:
    type_ = expr.type
    return isinstance(type_, Scalar) and type_.bytes == bytes_ and type_.signed and not type_.floating
