"""The error function and its complement."""

from __future__ import annotations

from accshare.vectormath.build import LONGER, SINGLE, Result, Value, in_double, where
from accshare.vectormath.exponentials import exponential_parts, usual_exponential
from accshare.vectormath.polynomials import ERF, ERFC, ERFC_LOG
from accshare.vectormath.primitives import (
    clamped,
    horner,
    leading,
    polynomial,
    quotient,
    scaled,
    sign_of,
    signed,
    size_of,
    whole,
)

#: where the complement is 0
_LIMITS = {SINGLE: 10.5, LONGER: 28.0}


def _complement(size: Value, coefficients: tuple[float, ...]) -> Value:
    """``erfc`` of a number that is not negative."""
    kind = size.format
    size = clamped(size, 0.0, _LIMITS[kind])
    t = (size - 4.0) / (size + 4.0)
    near = leading(size)
    more, moved = exponential_parts(-(near * near), (near - size) * (near + size))
    first, *others = coefficients
    varying = t * horner(t, tuple(others))
    divisor = size * 2.0 + 1.0
    lost = where(size > 0.5, (size * 2.0 - divisor) + 1.0, (1.0 - divisor) + size * 2.0)
    added = varying + (first + varying) * more
    dividend = first + added
    return scaled(quotient(dividend, divisor, lost, (first - dividend) + added), whole(moved), kind)


def _small(x: Value) -> Value:
    """``erf`` between -1 and 1."""
    return x + x * polynomial(x * x, x.format.chosen(ERF))


#: from where on ``erf`` is 1
_ONE = {SINGLE: 4.0, LONGER: 6.0}


def erf(x: Value) -> Result:
    """The error function, from 1 on by the logarithm of its complement."""
    kind, size = x.format, size_of(x)
    most = _ONE[kind]
    large = where(size > most, most, size)
    tail = usual_exponential(polynomial(large - 2.0, kind.chosen(ERFC_LOG)))
    return Result(where(size >= 1.0, signed(1.0 - tail, sign_of(x)), _small(x)))


def erfc(x: Value) -> Result:
    """Of floats in double: its many steps lose too much."""
    if x.format is SINGLE:
        return Result(in_double(lambda wide: _whole(wide, ERFC.single), x))
    return Result(_whole(x, ERFC.double))


def _whole(x: Value, coefficients: tuple[float, ...]) -> Value:
    """``erfc`` of all numbers."""
    size = size_of(x)
    tail = _complement(size, coefficients)
    return where(size < 0.46, 1.0 - _small(x), where(x < 0.0, 2.0 - tail, tail))
