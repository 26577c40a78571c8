"""What functions on vectors are made of."""

from __future__ import annotations

import math

from accshare.vectormath.build import LONGER, SINGLE, Format, Value, infinite, where

#: the logarithm of 2 in parts: what a whole number of exponents times the first is, is exact
LOG2 = {SINGLE: (0.693359375, -2.12194440054690583e-4), LONGER: (0.6931471803691238, 1.9082149292705877e-10)}

#: coefficients of a polynomial whose terms are added up in two parts
_LONG = 7


def polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """Short ones by Horner's rule, long ones by even and odd terms, as each step would wait for the one before."""
    if len(coefficients) < _LONG:
        return horner(x, coefficients)
    square, (first, *others) = x * x, coefficients
    even, odd = (polynomial(square, tuple(others[k::2])) for k in (0, 1))
    return first + x * (even + x * odd)


def horner(x: Value, coefficients: tuple[float, ...]) -> Value:
    """By Horner's rule, which rounds least."""
    *rest, last = coefficients
    result: Value | float = last
    for coefficient in reversed(rest):
        result = x * result + coefficient
    assert isinstance(result, Value)
    return result


def power_of_two(exponent: Value, kind: Format) -> Value:
    """2 to a whole number within the normal exponents, given as an integer of the type's size."""
    return ((exponent.unsigned + kind.bias) << kind.digits).number


def nearest(x: Value) -> tuple[Value, Value]:
    """A whole number near `x`, no further than a half away, and an integer whose last bits are those of the number; it
    has half as many bits as the type at most."""
    kind = x.format
    large = 1.5 * 2.0**kind.digits
    moved = x + large
    return moved - large, moved.bits


def grown(x: Value, moved: Value) -> Value:
    """``x`` times 2 to a whole number whose last bits `nearest` has given, where the result is a normal number."""
    return (x.unsigned + (moved.unsigned << x.format.digits)).number


def whole(moved: Value) -> Value:
    """The integer whose last bits `nearest` has given."""
    return moved - moved.format.bits_of(1.5 * 2.0**moved.format.digits)


def quotient(dividend: Value, divisor: Value, rest: Value, more: Value | None = None) -> Value:
    """``(dividend + more) / (divisor + rest)`` for a small rest and what is small beside the dividend."""
    first = dividend / divisor
    return first - first * (rest / divisor) if more is None else first + (more - first * rest) / divisor


def scaled(x: Value, exponent: Value, kind: Format) -> Value:
    """``x`` times 2 to a whole number, in two steps, so that results may be subnormal or overflow."""
    first = exponent >> 1
    return x * power_of_two(first, kind) * power_of_two(exponent - first, kind)


def clamped(x: Value, low: float, high: float) -> Value:
    """Within bounds; NaN stays what it is."""
    x = where(x > high, high, x)
    return where(x < low, low, x)


def as_number(exponent: Value) -> Value:
    """An integer that has half as many bits as the type at most as a number."""
    kind = exponent.format
    large = 1.5 * 2.0**kind.digits
    return (exponent + kind.bits_of(large)).number - large


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


def is_usual(x: Value) -> Value:
    """Whether a number is positive, normal and finite."""
    return (x >= x.format.smallest) & (x < infinite(x))


def parts_of(x: Value) -> tuple[Value, Value]:
    """A positive normal number as its exponent, a number, and the rest between the roots of a half and of 2."""
    kind = x.format
    offset = kind.bits_of(math.sqrt(0.5))
    moved = (x.unsigned + ((kind.bias << kind.digits) - offset)).bits
    large = 2.0**kind.digits
    exponent = (moved.down(kind.digits) | kind.bits_of(large)).number - (large + kind.bias)
    return exponent, ((moved & (1 << kind.digits) - 1) + offset).number


def taken_apart(x: Value) -> tuple[Value, Value]:
    """A positive number as its exponent, an integer, and the rest between the roots of a half and of 2. Subnormals
    count too."""
    kind = x.format
    small, lift = x < kind.smallest, kind.digits + 2
    offset = kind.bits_of(math.sqrt(0.5))
    moved = (where(small, x * 2.0**lift, x).unsigned - offset).bits
    exponent = moved >> kind.digits
    mantissa = ((moved & (1 << kind.digits) - 1) + offset).number
    return exponent - (small & lift), mantissa


def apart(x: Value) -> tuple[Value, Value]:
    """The same with the exponent as a number."""
    exponent, mantissa = taken_apart(x)
    return as_number(exponent), mantissa
