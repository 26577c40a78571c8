"""What functions on vectors are made of."""

from __future__ import annotations

import math

from accshare.vectormath.build import LONGER, SINGLE, Format, Value, where

#: the logarithm of 2 in parts: what a whole number of exponents times the first is, is exact
LOG2 = {SINGLE: (0.693359375, -2.12194440054690583e-4), LONGER: (0.6931471803691238, 1.9082149292705877e-10)}


def polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """By Horner's rule."""
    *rest, last = coefficients
    result: Value | float = last
    for coefficient in reversed(rest):
        result = x * result + coefficient
    assert isinstance(result, Value)
    return result


def power_of_two(exponent: Value, kind: Format) -> Value:
    """2 to a whole number within the normal exponents, given as an integer of the type's size."""
    return ((exponent + kind.bias) << kind.digits).number


def nearest(x: Value, most: int = 0) -> tuple[Value, Value]:
    """A whole number near `x`, no further than a half and 2^-10 away, in both kinds of number; `x` is not below
    ``-most`` and fits into 32 bits."""
    kind, near = x.format, (x + (most + 0.5)).to(SINGLE.integer)
    near = near - most if most else near
    return near.to(kind.scalar), near if kind is SINGLE else near.to(kind.integer)


def quotient(dividend: Value, divisor: Value, rest: Value) -> Value:
    """``dividend / (divisor + rest)`` for a small rest."""
    first = dividend / divisor
    return first - first * (rest / divisor)


def scaled(x: Value, exponent: Value, kind: Format) -> Value:
    """``x`` times 2 to a whole number, in two steps, so that results may be subnormal or overflow."""
    first = exponent >> 1
    return x * power_of_two(first, kind) * power_of_two(exponent - first, kind)


def clamped(x: Value, low: float, high: float) -> Value:
    """Within bounds; NaN stays what it is."""
    x = where(x > high, high, x)
    return where(x < low, low, x)


def as_number(exponent: Value) -> Value:
    """An integer of 32 bits or less as a floating-point number of its size."""
    kind = exponent.format
    return exponent.to(SINGLE.integer).to(kind.scalar) if kind is LONGER else exponent.to(kind.scalar)


def size_of(x: Value) -> Value:
    """The absolute value."""
    return (x.bits & ~x.format.sign).number


def sign_of(x: Value) -> Value:
    """The bit of the sign, the others 0."""
    return x.bits & x.format.sign


def signed(size: Value, sign: Value) -> Value:
    """A number that is not negative with a sign."""
    return (size.bits | sign).number


def leading(x: Value) -> Value:
    """The first half of a number's digits: the product of two such is exact, with or without contraction."""
    return (x.bits & x.format.halfway).number


def taken_apart(x: Value, normal: bool = False) -> tuple[Value, Value]:
    """A positive number as its exponent and the rest between the roots of a half and of 2. Subnormals count too, unless
    it is told to be `normal`."""
    kind = x.format
    small, lift = x < kind.smallest, kind.digits + 2
    bits = x.bits if normal else where(small, x * 2.0**lift, x).bits
    offset = kind.bits_of(math.sqrt(0.5))
    moved = bits - offset
    exponent = moved >> kind.digits
    mantissa = ((moved & (1 << kind.digits) - 1) + offset).number
    return exponent if normal else exponent - (small & lift), mantissa
