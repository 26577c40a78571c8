"""Which values an integer expression can have, found from its types, its constants and what is known of its parts.

An interval holds every value that a C program which does nothing undefined can come to; where an operation may leave
its type, that is any value of the type, so that it counts under ``-fwrapv`` too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from accshare.conversions import common, is_bool
from accshare.frontend.ir import (
    Binary,
    Builtin,
    Call,
    Cast,
    Conditional,
    Expr,
    IntLit,
    Intrinsic,
    Scalar,
    Type,
    Unary,
    integer_range,
)
from accshare.records import dataclass

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_TRUTHS = {"&&", "||", *_COMPARISONS}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: what comes to the same after operands were converted, as far as the result's type holds it
_MODULAR = {"+", "-", "*"}
_ABSOLUTE = {"abs", "labs", "llabs"}


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from `low` to `high`, both among them."""

    low: int
    high: int

    def within(self, other: Interval) -> bool:
        """Whether all of them are in `other` too."""
        return other.low <= self.low and self.high <= other.high

    def hull(self, other: Interval) -> Interval:
        """Those of both, and what lies between."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval | None:
        """Those in both; None where there are none."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else None


#: what is known of expressions, by what they are
Facts = Mapping[Expr, Interval]

_TRUTH = Interval(0, 1)


def interval_of(expr: Expr, facts: Facts) -> Interval | None:
    """The values of `expr` given `facts` about parts of it; None where it is no integer."""
    every = type_interval(expr.type)
    if every is None:
        return None
    known = facts.get(expr, every) if facts else every
    found = _computed(expr, facts, every)
    return found.meet(known) or found if found.within(every) else known


def type_interval(type_: Type) -> Interval | None:
    """The values of an integer type; None for others and for vectors."""
    limits = integer_range(type_)
    if limits is None or not isinstance(type_, Scalar) or type_.lanes > 1:
        return None
    return Interval(0, 1) if is_bool(type_) else Interval(*limits)


def given(condition: Expr, truth: bool, facts: Facts) -> Facts:
    """`facts` and what follows from a condition that holds, or without `truth` does not."""
    match condition:
        case Cast(operand, type_) if integer_range(operand.type) and integer_range(type_) and not _narrows(condition):
            return given(operand, truth, facts)
        case Unary("!", operand):
            return given(operand, not truth, facts)
        case Binary("&&", lhs, rhs) if truth:
            return given(rhs, True, given(lhs, True, facts))
        case Binary("||", lhs, rhs) if not truth:
            return given(rhs, False, given(lhs, False, facts))
        case Binary(op, lhs, rhs) if op in _COMPARISONS:
            relation = op if truth else _NEGATED[op]
            facts = _bounded(lhs, relation, rhs, facts)
            return _bounded(rhs, _TURNED.get(relation, relation), lhs, facts)
    return facts


def _narrows(cast: Cast) -> bool:
    """Whether a conversion may turn a number other than 0 into 0."""
    sizes = [type_.bytes for type_ in (cast.operand.type, cast.type) if isinstance(type_, Scalar)]
    return sizes[1] < sizes[0] and not is_bool(cast.type)


def _bounded(expr: Expr, relation: str, bound: Expr, facts: Facts) -> Facts:
    """`facts` and what ``expr relation bound`` says of `expr`."""
    own, other = interval_of(expr, facts), interval_of(bound, facts)
    shared = common(expr.type, bound.type)
    every = None if shared is None else type_interval(shared)
    if own is None or other is None or every is None or not (own.within(every) and other.within(every)):
        return facts
    match relation:
        case "<":
            limit = Interval(own.low, other.high - 1)
        case "<=":
            limit = Interval(own.low, other.high)
        case ">":
            limit = Interval(other.low + 1, own.high)
        case ">=":
            limit = Interval(other.low, own.high)
        case "==":
            limit = other
        case _:
            return facts
    found = own.meet(limit) if limit.low <= limit.high else None
    if found is None:
        return facts  # it never holds
    result = {**facts, expr: found}
    while isinstance(expr, Cast) and _keeps(expr, facts):
        expr = expr.operand
        result[expr] = found
    return result


def _keeps(cast: Cast, facts: Facts) -> bool:
    """Whether a conversion changes no value."""
    held, every = interval_of(cast.operand, facts), type_interval(cast.type)
    return held is not None and every is not None and held.within(every)


def _computed(expr: Expr, facts: Facts, every: Interval) -> Interval:
    """What the operation comes to as numbers have it, or all values of its type where nothing is known."""
    match expr:
        case IntLit(value):
            return Interval(value, value)
        case Cast(operand):
            held = interval_of(operand, facts)
            return _TRUTH if is_bool(expr.type) else held if held is not None else every
        case Unary("!") | Binary("&&" | "||"):
            return _TRUTH
        case Binary(op) if op in _TRUTHS:
            return _TRUTH
        case Unary(op, operand):
            held = interval_of(operand, facts)
            return every if held is None else _unary(op, held)
        case Binary(op, lhs, rhs):
            left, right = interval_of(lhs, facts), interval_of(rhs, facts)
            if left is None or right is None or not (op in _MODULAR or _kept(op, left, right, every)):
                return every
            return _binary(op, left, right, every)
        case Conditional(condition, then, other):
            yes, no = (interval_of(side, given(condition, t, facts)) for side, t in ((then, True), (other, False)))
            return every if yes is None or no is None else yes.hull(no)
        case Call(callee, (arg,)) if callee in _ABSOLUTE:
            held = interval_of(arg, facts)
            return every if held is None else absolute(held)
        case Intrinsic(Builtin.MIN | Builtin.MAX as function, (one, other)):
            left, right = interval_of(one, facts), interval_of(other, facts)
            if left is None or right is None or not (left.within(every) and right.within(every)):
                return every
            pick: Callable[[int, int], int] = min if function is Builtin.MIN else max
            return Interval(pick(left.low, right.low), pick(left.high, right.high))
    return every


def _kept(op: str, left: Interval, right: Interval, every: Interval) -> bool:
    """Whether conversions to the type of ``left op right`` change neither side."""
    return left.within(every) and (op in {"<<", ">>"} or right.within(every))


def absolute(held: Interval) -> Interval:
    """The absolute values."""
    low = 0 if held.low <= 0 <= held.high else min(abs(held.low), abs(held.high))
    return Interval(low, max(abs(held.low), abs(held.high)))


def _unary(op: str, held: Interval) -> Interval:
    match op:
        case "-":
            return Interval(-held.high, -held.low)
        case "~":
            return Interval(~held.high, ~held.low)
        case _:
            return held


def _binary(op: str, left: Interval, right: Interval, every: Interval) -> Interval:
    """``left op right``, neither of which is a truth."""
    bits = every.high.bit_length()
    match op:
        case "+":
            return Interval(left.low + right.low, left.high + right.high)
        case "-":
            return Interval(left.low - right.high, left.high - right.low)
        case "*":
            return _of(a * b for a, b in _corners(left, right))
        case "/" if not right.low <= 0 <= right.high:
            return _of(_quotient(a, b) for a, b in _corners(left, right))
        case "%" if not right.low <= 0 <= right.high:
            most = max(abs(right.low), abs(right.high)) - 1
            return Interval(max(min(left.low, 0), -most), min(max(left.high, 0), most))
        case "<<" if left.low >= 0 and right.low >= 0 and right.high < bits:
            return _of(a << b for a, b in _corners(left, right))
        case ">>" if right.low >= 0 and right.high < bits:
            return _of(a >> b for a, b in _corners(left, right))
        case "&" if left.low >= 0 or right.low >= 0:
            return Interval(0, min(side.high for side in (left, right) if side.low >= 0))
        case "&" | "|" | "^":
            return _bits(op, left, right)
    return every


def _bits(op: str, left: Interval, right: Interval) -> Interval:
    """No operation on bits gives more of them than its operands have."""
    width = max((value if value >= 0 else ~value).bit_length() for side in (left, right) for value in _ends(side))
    if left.low >= 0 and right.low >= 0:
        return Interval(max(left.low, right.low) if op == "|" else 0, (1 << width) - 1)
    return Interval(-(1 << width), (1 << width) - 1)


def _ends(side: Interval) -> tuple[int, int]:
    return side.low, side.high


def _corners(left: Interval, right: Interval) -> Iterator[tuple[int, int]]:
    return product(_ends(left), _ends(right))


def _of(values: Iterator[int]) -> Interval:
    found = tuple(values)
    return Interval(min(found), max(found))


def _quotient(a: int, b: int) -> int:
    """Rounded towards zero, as C does."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
