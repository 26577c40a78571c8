"""How far subscripts that can't be followed reach at most.

Types and operators tell it when compiling: ``bins[pixel[i]]`` has 256 elements where pixels are unsigned bytes, or
fewer. Loops and sizes tell it when the region begins: ``a[i * stride + j]`` lies between what the ends of the loops
come to.
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
    Symbol,
    Type,
    Unary,
    Var,
    integer_range,
)
from accshare.islexpr import binary, literal
from accshare.poly.ir import Access, Scop, Statement, Variable
from accshare.ranges import Interval, interval_of
from accshare.records import dataclass

#: more elements tell nothing: every index has a type
_MOST = 1 << 16
_least, _most = (partial(function, type_=LONG) for function in (minimum, maximum))
_plus, _minus = (partial(binary, op, type_=LONG) for op in "+-")
_ONE, _ZERO = literal(1, LONG), literal(0, LONG)


@dataclass(frozen=True, slots=True)
class _Ends:
    """Integers from `low` to `high`, which the host computes when the region begins."""

    low: Expr
    high: Expr

    @property
    def single(self) -> bool:
        return self.low == self.high

    def hull(self, other: _Ends) -> _Ends:
        """Those of both, and what lies between."""
        return self if self == other else _Ends(_least(self.low, other.low), _most(self.high, other.high))


#: of iterators and parameters
_Known = Mapping[Symbol, _Ends]


def reach(scop: Scop, variable: Variable) -> Section | None:
    """A section of an array that all accesses are in; None where their subscripts don't tell."""
    accesses = [(a, s) for s in scop.statements for a in s.accesses if a.variable == variable]
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
    found = [_of_access(access, statement, scop) for access, statement in accesses]
    told = [ends for ends in found if ends is not None]
    if len(told) < len(found):
        return None
    hull = reduce(_Ends.hull, told)
    return Section(hull.low, _plus(_minus(hull.high, hull.low), _ONE))


def _of_access(access: Access, statement: Statement, scop: Scop) -> _Ends | None:
    values = {p.symbol: Cast(Var(p.symbol, p.value.span), LONG, False, p.value.span) for p in scop.parameters}
    known = {symbol: _Ends(value, value) for symbol, value in values.items()}
    for depth, node in enumerate(statement.loops):
        ends = ends_of(statement.domain, depth, scop)
        if ends is not None:
            known[node.iterator] = _Ends(*ends)
    return _ends(access.subscripts[0], known)


def _ends(expr: Expr, known: _Known, scale: Expr = _ONE) -> _Ends | None:
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
    return found and _product(found, _Ends(scale, scale))


def _holds(type_: Type, other: Type) -> bool:
    """Whether an integer type has all values of another one."""
    limits, of = integer_range(type_), integer_range(other)
    return limits is not None and of is not None and limits[0] <= of[0] and of[1] <= limits[1]


def _plain(expr: Expr, known: _Known) -> _Ends | None:
    """The values of what is no sum."""
    match expr:
        case IntLit(value):
            return _Ends(literal(value, LONG), literal(value, LONG))
        case Var(symbol) if symbol in known:
            return known[symbol]
        case Conditional(_, then, other):
            one, two = _ends(then, known), _ends(other, known)
            return None if one is None or two is None else one.hull(two)
        case Binary("*" | "/" | "%" as op, lhs, rhs) if _holds(expr.type, INT):
            left, right = _ends(lhs, known), _ends(rhs, known)
            found = None if left is None or right is None else _COMPUTED[op](left, right)
            if found is not None:
                return found
    return _by_type(expr)


def _by_type(expr: Expr) -> _Ends | None:
    """What type and operators tell, as long as that is little."""
    found = interval_of(expr, {})
    if found is None or found.high - found.low >= _MOST:
        return None
    return _Ends(literal(found.low, LONG), literal(found.high, LONG))


def _sum(op: str, left: _Ends, right: _Ends) -> _Ends:
    if op == "+":
        return _Ends(_plus(left.low, right.low), _plus(left.high, right.high))
    return _Ends(_minus(left.low, right.high), _minus(left.high, right.low))


def _times(left: Expr, right: Expr) -> Expr:
    """A product, where 0 and 1 leave no operator."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, IntLit) and one.value in {0, 1}:
            return other if one.value else _ZERO
    return binary("*", left, right, LONG)


def _product(left: _Ends, right: _Ends) -> _Ends:
    """The least and the most of what ends come to."""
    if right.single and isinstance(right.low, IntLit) and right.low.value >= 0:
        return _Ends(_times(left.low, right.low), _times(left.high, right.low))
    ends = list(dict.fromkeys(_times(a, b) for a in (left.low, left.high) for b in (right.low, right.high)))
    return _Ends(reduce(_least, ends), reduce(_most, ends))


def _quotient(left: _Ends, right: _Ends) -> _Ends | None:
    """What a positive divisor leaves; any other one makes nothing larger."""
    if not right.single:
        return None
    size, by = _most(left.high, _minus(_ZERO, left.low)), right.low
    positive = Binary(">", by, _ZERO, INT, by.span)
    ends = ((left.low, _minus(_ZERO, size)), (left.high, size))
    low, high = (Conditional(positive, binary("/", end, by, LONG), any_, LONG, by.span) for end, any_ in ends)
    return _Ends(low, high)


def _remainder(left: _Ends, right: _Ends) -> _Ends | None:
    """On the dividend's side of 0, no further than that is, and nearer than the divisor."""
    if not right.single:
        return None
    last = _minus(_most(right.low, _minus(_ZERO, right.low)), _ONE)
    low = _most(_least(left.low, _ZERO), _minus(_ZERO, last))
    return _Ends(low, _least(_most(left.high, _ZERO), last))


_COMPUTED = {"*": _product, "/": _quotient, "%": _remainder}
