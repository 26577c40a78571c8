"""Kinds of floating-point numbers, and what arithmetic makes of them.

The greatest and the least of some numbers have no order where none of these is NaN and no zero has a minus sign: two
that are equal are the same bits then. Kinds tell whether that stays so, however large numbers grow.
"""

from __future__ import annotations

import enum
import math
import operator
import struct
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import TypeAlias


class Number(enum.Enum):
    """A kind of numbers; those with an order have that of their values."""

    LOWEST = 0  # minus infinity
    NEGATIVE = 1
    ZERO = 2  # without a sign
    POSITIVE = 3
    INFINITE = 4
    MINUS_ZERO = 5
    NAN = 6


Numbers: TypeAlias = frozenset[Number]

#: those that have a greatest and a least, whatever comes first
ORDERED = frozenset(Number) - {Number.MINUS_ZERO, Number.NAN}
#: anything
ALL = frozenset(Number)
#: the ends of a kind and what is between them, so that every kind of result of an operation shows
_EXAMPLES: dict[Number, tuple[float, ...]] = {
    Number.LOWEST: (-math.inf,),
    Number.NEGATIVE: (-1.7976931348623157e308, -1.0, -5e-324),
    Number.ZERO: (0.0,),
    Number.POSITIVE: (5e-324, 1.0, 1.7976931348623157e308),
    Number.INFINITE: (math.inf,),
    Number.MINUS_ZERO: (-0.0,),
    Number.NAN: (math.nan,),
}
_NARROWED = {
    Number.NEGATIVE: frozenset({Number.LOWEST, Number.NEGATIVE, Number.MINUS_ZERO}),
    Number.POSITIVE: frozenset({Number.ZERO, Number.POSITIVE, Number.INFINITE}),
}


_WORDS = {
    Number.NAN: "NaN",
    Number.MINUS_ZERO: "-0",
    Number.LOWEST: "-INFINITY",
    Number.NEGATIVE: "numbers below 0",
    Number.ZERO: "0",
    Number.POSITIVE: "numbers above 0",
    Number.INFINITE: "INFINITY",
}


def without(numbers: Numbers) -> str:
    """What is not among some kinds, in words."""
    *most, last = (word for n, word in _WORDS.items() if n not in numbers)
    return f"{', '.join(most)} or {last}" if most else last


def ends(numbers: Numbers, size: int) -> tuple[int, int]:
    """The least and the greatest of ordered kinds that have no gap, of a type with so many bytes, as integers that have
    the order of numbers: the bits, and of those below 0 all others than they have but for the sign."""
    code, whole = ("<f", "<i") if size == 4 else ("<d", "<q")
    (infinite,) = struct.unpack(whole, struct.pack(code, math.inf))
    least = {Number.LOWEST: -1 - infinite, Number.NEGATIVE: -infinite, Number.ZERO: 0, Number.POSITIVE: 1}
    most = {Number.INFINITE: infinite, Number.POSITIVE: infinite - 1, Number.ZERO: 0, Number.NEGATIVE: -2}
    values = sorted(n.value for n in numbers)
    return least[Number(values[0])], most[Number(values[-1])]


def between(low: Number, high: Number) -> Numbers:
    """The ordered kinds from one to another."""
    return frozenset(n for n in ORDERED if low.value <= n.value <= high.value)


def kind(value: float) -> Number:
    """What a number is."""
    if math.isnan(value):
        return Number.NAN
    if value == 0:
        return Number.ZERO if math.copysign(1, value) > 0 else Number.MINUS_ZERO
    if math.isinf(value):
        return Number.INFINITE if value > 0 else Number.LOWEST
    return Number.POSITIVE if value > 0 else Number.NEGATIVE


def _divided(one: float, other: float) -> float:
    if other != 0:
        return one / other
    return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one) * math.copysign(1, other)


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divided,
}


def computed(op: str, one: Numbers, other: Numbers, fused: bool) -> Numbers:
    """What an operator of C makes of two numbers. Where products may be `fused` into sums, one that is too small for a
    number leaves its sign to the sum."""
    if op not in _OPERATIONS:
        return ALL
    found = frozenset(n for pair in product(one, other) for n in _of_pair(op, *pair))
    if fused and op in ("+", "-") and found & {Number.NEGATIVE, Number.MINUS_ZERO}:
        return found | {Number.ZERO, Number.MINUS_ZERO}
    return found


@cache
def _of_pair(op: str, one: Number, other: Number) -> Numbers:
    pairs = product(_EXAMPLES[one], _EXAMPLES[other])
    return frozenset(kind(_OPERATIONS[op](*pair)) for pair in pairs)


def negated(numbers: Numbers) -> Numbers:
    """The same with the other sign."""
    return frozenset(kind(-_EXAMPLES[n][0]) for n in numbers)


def narrowed(numbers: Numbers) -> Numbers:
    """What becomes of numbers in a narrower type, which has fewer of them."""
    return frozenset(new for n in numbers for new in _NARROWED.get(n, (n,)))


def greatest(one: Numbers, other: Numbers) -> Numbers:
    """The greater of two numbers, either of them where they have no order."""
    return _extreme(one, other, max)


def least(one: Numbers, other: Numbers) -> Numbers:
    """The lesser of two numbers, either of them where they have no order."""
    return _extreme(one, other, min)


def _extreme(one: Numbers, other: Numbers, choose: Callable[[int, int], int]) -> Numbers:
    both = one | other
    if not both <= ORDERED or not one or not other:
        return both
    pairs = ((a.value, b.value) for a, b in product(one, other))
    return frozenset(map(Number, {choose(*pair) for pair in pairs}))
