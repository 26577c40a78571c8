"""How far subscripts can reach at most, told from the types and operators that they are made of: ``bins[pixel[i]]`` has
256 elements where pixels are unsigned bytes, or fewer."""

from __future__ import annotations

from accshare.data.ir import Section
from accshare.frontend.ir import LONG, Binary, Cast, Conditional, Expr, IntLit, integer_range
from accshare.islexpr import literal
from accshare.poly.ir import Scop, Variable

#: more elements tell nothing: every index has a type
_MOST = 1 << 16


def reach(scop: Scop, variable: Variable) -> Section | None:
    """A section of an array that all accesses are in; None where their subscripts don't tell."""
    accesses = [a for s in scop.statements for a in s.accesses if a.variable == variable]
    if any(len(a.subscripts) != 1 for a in accesses):
        return None
    ranges = [values(a.subscripts[0]) for a in accesses]
    known = [one for one in ranges if one is not None]
    if len(known) < len(ranges):
        return None
    low, high = min(low for low, _ in known), max(high for _, high in known)
    return Section(literal(low, LONG), literal(high - low + 1, LONG)) if high - low < _MOST else None


def values(expr: Expr) -> tuple[int, int] | None:
    """The least and the greatest value that an integer expression may have; None for other ones."""
    limits = integer_range(expr.type)
    found = _computed(expr)
    if limits is None or found is None:
        return limits
    return found if limits[0] <= found[0] and found[1] <= limits[1] else limits  # which it may wrap at


def _computed(expr: Expr) -> tuple[int, int] | None:
    match expr:
        case IntLit(value):
            return value, value
        case Cast(operand):
            return values(operand)
        case Conditional(_, then, other):
            ends = [e for e in (values(then), values(other)) if e is not None]
            return (min(low for low, _ in ends), max(high for _, high in ends)) if len(ends) > 1 else None
        case Binary("&", lhs, rhs):
            masks = [m for m in (values(lhs), values(rhs)) if m is not None and m[0] >= 0]
            return (0, min(high for _, high in masks)) if masks else None
        case Binary("%", lhs, IntLit(divisor)) if divisor > 0:
            own = values(lhs)
            return None if own is None else (0 if own[0] >= 0 else 1 - divisor, divisor - 1)
        case Binary(op, lhs, rhs):
            left, right = values(lhs), values(rhs)
            return None if left is None or right is None else _of(op, left, right)
    return None


def _of(op: str, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int] | None:
    match op:
        case "+":
            return one[0] + other[0], one[1] + other[1]
        case "-":
            return one[0] - other[1], one[1] - other[0]
        case "*":
            products = [a * b for a in one for b in other]
            return min(products), max(products)
        case ">>" if one[0] >= 0 and other[0] == other[1] >= 0:
            return one[0] >> other[0], one[1] >> other[0]
    return None
