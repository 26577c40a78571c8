"""Whole numbers and remainders."""

from __future__ import annotations

from accshare.vectormath.build import DOUBLE, SINGLE, Result, Value, called, infinite, like, where
from accshare.vectormath.primitives import leading, sign_of, signed, size_of


def round(x: Value) -> Result:
    """Halves away from zero."""
    size = size_of(x)
    whole = called("trunc", size)
    up = where(size - whole >= 0.5, 1.0, like(x, 0.0))
    return Result(signed(whole + up, sign_of(x)))


def fmod(x: Value, y: Value) -> Result:
    """Exact; quotients of more digits than half of a number's are left to the device."""
    a, b = size_of(x), size_of(y)
    single = x.format is SINGLE
    p, q = (a.to(DOUBLE), b.to(DOUBLE)) if single else (a, b)
    ratio = called("trunc", p / q)
    high = leading(q)
    rest = (p - ratio * high) - ratio * (q - high)
    rest = where(rest < 0.0, rest + q, rest)
    rest = where(rest >= q, rest - q, rest)
    result = rest.to(x.type) if single else rest
    usual = (a / b < 2.0**24) & (b < infinite(y))
    return Result(signed(result, sign_of(x)), ~usual)
