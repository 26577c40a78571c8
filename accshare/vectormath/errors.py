"""The error function and its complement."""

from __future__ import annotations

from collections.abc import Callable

from accshare.vectormath.build import LONGER, SINGLE, Format, Result, Value, in_double, where
from accshare.vectormath.exponentials import exponential_parts, usual_exponential
from accshare.vectormath.polynomials import ERF, ERFC, ERFC_LOG
from accshare.vectormath.primitives import (
    clamped,
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
LIMITS = {SINGLE: 10.5, LONGER: 28.0}


def _complement(size: Value, kind: Format) -> Value:
    """``erfc`` of numbers that are at least a half, in steps that do for a type."""
    size = clamped(size, 0.0, LIMITS[kind])
    near = leading(size)
    t = (size - 4.0) / (size + 4.0)
    divisor, lost = twice_and_one(size)
    dividend, rest, moved = product_of(t, -(near * near), (near - size) * (near + size), kind)
    return scaled(quotient(dividend, divisor, lost, rest), whole(moved), size.format)


def twice_and_one(size: Value) -> tuple[Value, Value]:
    """``2 size + 1`` of a number that is at least a half, and what that lacks."""
    divisor = size * 2.0 + 1.0
    return divisor, (size * 2.0 - divisor) + 1.0


def product_of(t: Value, power: Value, rest: Value, kind: Format) -> tuple[Value, Value, Value]:
    """A polynomial of `t` times ``exp(power + rest)``, in two parts and without the exponent, which `nearest` gives."""
    more, moved = exponential_parts(power, rest, kind)
    first, *others = kind.chosen(ERFC)
    varying = t * polynomial(t, tuple(others))
    added = varying + (first + varying) * more
    total = first + added
    return total, (first - total) + added, moved


def _beside(x: Value, kind: Format) -> Value:
    """What ``erf`` of a number between -1 and 1 is beside that."""
    return x * polynomial(x * x, kind.chosen(ERF))


#: from where on ``erf`` is 1
_ONE = {SINGLE: 4.0, LONGER: 6.0}


def erf(x: Value) -> Result:
    """The error function, from 1 on by the logarithm of its complement."""
    kind, size = x.format, size_of(x)
    most = _ONE[kind]
    large = where(size > most, most, size)
    tail = usual_exponential(polynomial(large - 1.0, kind.chosen(ERFC_LOG)))
    return Result(where(size >= 1.0, signed(1.0 - tail, sign_of(x)), x + _beside(x, kind)))


def erfc(x: Value) -> Result:
    """The complement of the error function."""
    return erfc_by(x, _complement)


def erfc_by(x: Value, tail: Callable[[Value, Format], Value]) -> Result:
    """Of floats in double: its many steps lose too much."""
    kind = x.format

    def everywhere(wide: Value) -> Value:
        size = size_of(wide)
        found = tail(size, kind)
        return where(size < 0.75, (1.0 - wide) - _beside(wide, kind), where(wide < 0.0, 2.0 - found, found))

    return Result(in_double(everywhere, x) if kind is SINGLE else everywhere(x))
