"""How far subscripts that can't be followed reach at most.

Types and operators tell it when compiling: ``bins[pixel[i]]`` has 256 elements where pixels are unsigned bytes, or
fewer. Loops and sizes tell it when the region begins: ``a[i * stride + j]`` lies between what the ends of the loops
come to. So may what else is told of variables and of the elements of arrays (`accshare.data.looks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce

from accshare.builtins import maximum, minimum
from accshare.data.extents import ends_of
from accshare.data.ir import Section
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Cast,
    Conditional,
    Expr,
    IntLit,
    Subscript,
    Type,
    Unary,
    Var,
    integer_range,
)
from accshare.islexpr import binary, literal, variable
from accshare.poly.ir import Scop, Statement, Variable
from accshare.ranges import Interval, interval_of
from accshare.records import dataclass

#: more elements tell nothing: every index has a type
_MOST = 1 << 16
_least, _most = (partial(function, type_=LONG) for function in (minimum, maximum))
_plus, _minus = (partial(binary, op, type_=LONG) for op in "+-")
_ONE, _ZERO = literal(1, LONG), literal(0, LONG)


@dataclass(frozen=True, slots=True)
class Ends:
    """Integers from `low` to `high`, which the host computes when the region begins; none where `high` is less."""

    low: Expr
    high: Expr

    @property
    def single(self) -> bool:
        return self.low == self.high

    def hull(self, other: Ends) -> Ends:
        """Those of both, and what lies between."""
        return self if self == other else Ends(_least(self.low, other.low), _most(self.high, other.high))


#: the values of variables, and of the elements of arrays
Told = Mapping[Expr, Ends]


def reach(scop: Scop, variable_: Variable, told: Told | None = None) -> Section | None:
    """A section of an array that all accesses are in; None where neither their subscripts nor what else is `told` say
    so."""
    accesses = [(a, s) for s in scop.statements for a in s.accesses if a.variable == variable_]
    if any(len(a.subscripts) != 1 for a, _ in accesses):
        return None
    ranges = [interval_of(a.subscripts[0], {}) for a, _ in accesses]
    known = [one for one in ranges if one is not None]
    if not known or len(known) < len(ranges):
        return None
    all_of_them = reduce(Interval.hull, known)
    length = all_of_them.high - all_of_them.low + 1
    if length <= _MOST:
        return Section(literal(all_of_them.low, LONG), literal(length, LONG))
    found = [ends_in(access.subscripts[0], statement, scop, told or {}) for access, statement in accesses]
    ends = [one for one in found if one is not None]
    if len(ends) < len(found):
        return None
    hull = reduce(Ends.hull, ends)
    return Section(hull.low, _plus(_minus(hull.high, hull.low), _ONE))


def ends_in(expr: Expr, statement: Statement, scop: Scop, told: Told) -> Ends | None:
    """The values that an integer expression has in a statement; None where they aren't told."""
    known = dict(told)
    for p in scop.parameters:
        value = Cast(Var(p.symbol, p.value.span), LONG, False, p.value.span)
        known[Var(p.symbol, p.value.span)] = Ends(value, value)
    for depth, node in enumerate(statement.loops):
        ends = ends_of(statement.domain, depth, scop)
        if ends is not None:
            known[variable(node.iterator)] = Ends(*ends)
    return _ends(expr, known)


def _ends(expr: Expr, known: Told, scale: Expr = _ONE) -> Ends | None:
    """The values of `scale` times an integer expression that does nothing undefined; None where they aren't told. Sums
    are scaled term by term, so that what is added comes to no more than it does in the program."""
    match expr:
        case Cast(operand) if _holds(expr.type, operand.type):
            return _ends(operand, known, scale)
        case Unary("+", operand):
            return _ends(operand, known, scale)
        case Unary("-", operand) if _holds(expr.type, INT):
            return _ends(operand, known, _minus(_ZERO, scale))
        case Binary("+" | "-" as op, lhs, rhs) if _holds(expr.type, INT):
            left, right = _ends(lhs, known, scale), _ends(rhs, known, scale)
            return None if left is None or right is None else _sum(op, left, right)
        case Binary("*", lhs, rhs) if _holds(expr.type, INT):
            for by, rest in ((_ends(lhs, known), rhs), (_ends(rhs, known), lhs)):
                if by is not None and by.single:
                    return _ends(rest, known, _times(scale, by.low))
    found = _plain(expr, known)
    return found and _product(found, Ends(scale, scale))


def _holds(type_: Type, other: Type) -> bool:
    """Whether an integer type has all values of another one."""
    limits, of = integer_range(type_), integer_range(other)
    return limits is not None and of is not None and limits[0] <= of[0] and of[1] <= limits[1]


def _plain(expr: Expr, known: Told) -> Ends | None:
    """The values of what is no sum."""
    match expr:
        case IntLit(value):
            return Ends(literal(value, LONG), literal(value, LONG))
        case Var() if expr in known:
            return known[expr]
        case Subscript(base) if base in known:
            return known[base]
        case Conditional(_, then, other):
            one, two = _ends(then, known), _ends(other, known)
            return None if one is None or two is None else one.hull(two)
        case Binary("*" | "/" | "%" as op, lhs, rhs) if _holds(expr.type, INT):
            left, right = _ends(lhs, known), _ends(rhs, known)
            found = None if left is None or right is None else _COMPUTED[op](left, right)
            if found is not None:
                return found
    return _by_type(expr)


def _by_type(expr: Expr) -> Ends | None:
    """What type and operators tell, as long as that is little."""
    found = interval_of(expr, {})
    if found is None or found.high - found.low >= _MOST:
        return None
    return Ends(literal(found.low, LONG), literal(found.high, LONG))


def _sum(op: str, left: Ends, right: Ends) -> Ends:
    if op == "+":
        return Ends(_plus(left.low, right.low), _plus(left.high, right.high))
    return Ends(_minus(left.low, right.high), _minus(left.high, right.low))


def _times(left: Expr, right: Expr) -> Expr:
    """A product, where 0 and 1 leave no operator."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, IntLit) and one.value in {0, 1}:
            return other if one.value else _ZERO
    return binary("*", left, right, LONG)


def _product(left: Ends, right: Ends) -> Ends:
    """The least and the most of what ends come to."""
    if right.single and isinstance(right.low, IntLit) and right.low.value >= 0:
        return Ends(_times(left.low, right.low), _times(left.high, right.low))
    ends = list(dict.fromkeys(_times(a, b) for a in (left.low, left.high) for b in (right.low, right.high)))
    return Ends(reduce(_least, ends), reduce(_most, ends))


def _quotient(left: Ends, right: Ends) -> Ends | None:
    """What a positive divisor leaves; any other one makes nothing larger."""
    if not right.single:
        return None
    size, by = _most(left.high, _minus(_ZERO, left.low)), right.low
    positive = Binary(">", by, _ZERO, INT, by.span)
    ends = ((left.low, _minus(_ZERO, size)), (left.high, size))
    low, high = (Conditional(positive, binary("/", end, by, LONG), any_, LONG, by.span) for end, any_ in ends)
    return Ends(low, high)


def _remainder(left: Ends, right: Ends) -> Ends | None:
    """On the dividend's side of 0, no further than that is, and nearer than the divisor."""
    if not right.single:
        return None
    last = _minus(_most(right.low, _minus(_ZERO, right.low)), _ONE)
    low = _most(_least(left.low, _ZERO), _minus(_ZERO, last))
    return Ends(low, _least(_most(left.high, _ZERO), last))


_COMPUTED = {"*": _product, "/": _quotient, "%": _remainder}
