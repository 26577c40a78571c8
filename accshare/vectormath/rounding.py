"""Whole numbers and remainders, differences and signs."""

from __future__ import annotations

from accshare.vectormath.build import SINGLE, Result, Value, called, in_double, infinite, like, where
from accshare.vectormath.primitives import leading, sign_of, signed, size_of


def round(x: Value) -> Result:
    """Halves away from zero."""
    size = size_of(x)
    whole = called("trunc", size)
    up = where(size - whole >= 0.5, 1.0, like(x, 0.0))
    return Result(signed(whole + up, sign_of(x)))


def fdim(x: Value, y: Value) -> Result:
    """The difference where it is positive, otherwise 0."""
    return Result(where(x <= y, 0.0, x - y))


def copysign(x: Value, y: Value) -> Result:
    """A number with the sign of another, zeros and NaN too."""
    return Result(signed(size_of(x), sign_of(y)))


def fmod(x: Value, y: Value) -> Result:
    """Exact; quotients of more digits than half of a number's are left to the device."""
    a, b = size_of(x), size_of(y)
    rest = in_double(_rest, a, b) if x.format is SINGLE else _rest(a, b)
    usual = (a / b < 2.0**24) & (b < infinite(y))
    return Result(signed(rest, sign_of(x)), ~usual)


def _rest(a: Value, b: Value) -> Value:
    """What a division leaves of `a`: the quotient is right or one too large, and its products with both halves of `b`
    are exact."""
    ratio = called("trunc", a / b)
    high = leading(b)
    rest = (a - ratio * high) - ratio * (b - high)
    rest = where(rest < 0.0, rest + b, rest)
    return where(rest >= b, rest - b, rest)
