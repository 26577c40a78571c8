"""Logarithms."""

from __future__ import annotations

import math

from accshare.vectormath.build import LONGER, SINGLE, Result, Value, called, infinite, nan, where
from accshare.vectormath.polynomials import LOG
from accshare.vectormath.primitives import (
    LOG2,
    apart,
    is_usual,
    leading,
    parts_of,
    polynomial,
    sign_of,
    signed,
    size_of,
)

#: logarithms of e, and what their doubles lack
LOG2_E, LOG2_E_REST = 1.4426950408889634, 2.0355273740931033e-17
_LOG10_E, _LOG10_E_REST = 0.4342944819032518, 1.098319650216765e-17


def log_specials(x: Value, value: Value) -> Value:
    """Logarithms of 0, of negative numbers, infinity and NaN."""
    usual = (x > 0.0) & (x < infinite(x))
    special = where(x < 0.0, nan(x), where(x.equals(0.0), -infinite(x), x))
    return where(usual, value, special)


def log_of(f: Value) -> tuple[Value, Value]:
    """``log(1 + f) = f - first + second``."""
    s = f / (f + 2.0)
    z = s * s
    square = f * f * 0.5
    return square, s * (square + z * polynomial(z, f.format.chosen(LOG)))


def _natural(k: Value, mantissa: Value) -> Value:
    high, low = LOG2[k.format]
    f = mantissa - 1.0
    square, rest = log_of(f)
    return k * high - ((square - (rest + k * low)) - f)


def log(x: Value) -> Result:
    """The natural logarithm."""
    instead = log_specials(x, _natural(*apart(x)))
    return Result(_natural(*parts_of(x)), ~is_usual(x), Result(instead))


def _to_base(x: Value, factor: tuple[float, float], digit: float, digit_low: float) -> Result:
    """A logarithm to another base: `factor` is that of e and `digit` that of 2, both in parts."""

    def value(k: Value, mantissa: Value) -> Value:
        f = mantissa - 1.0
        square, rest = log_of(f)
        high = leading(f - square)
        low = (f - high) - square + rest
        return _sum_of_parts(k, high, low, factor, digit, digit_low)

    return Result(value(*parts_of(x)), ~is_usual(x), Result(log_specials(x, value(*apart(x)))))


def _sum_of_parts(
    k: Value, high: Value, low: Value, factor: tuple[float, float], digit: float, digit_low: float
) -> Value:
    near, far = factor
    product = high * near
    small = low * (near + far) + high * far + k * digit_low
    whole_part = k * digit
    total = whole_part + product
    lost = (whole_part - total) + product
    return total + (small + lost)


def log2(x: Value) -> Result:
    """To base 2."""
    near, far = x.format.split(LOG2_E)
    return _to_base(x, (near, far + LOG2_E_REST), 1.0, 0.0)


def log10(x: Value) -> Result:
    """To base 10."""
    near, far = x.format.split(_LOG10_E)
    digit, digit_low = x.format.split(math.log10(2))
    return _to_base(x, (near, far + _LOG10_E_REST), digit, digit_low)


def _beside_one(x: Value) -> tuple[Value, Value]:
    """``log(1 + x)`` without cancellation, and ``1 + x``, which has to be a normal number."""
    whole_part = x + 1.0
    k, mantissa = parts_of(whole_part)
    high, low = LOG2[x.format]
    near = k.equals(0.0)
    f = where(near, x, mantissa - 1.0)
    lost = where(x > 1.0, 1.0 - (whole_part - x), x - (whole_part - 1.0)) / whole_part
    square, rest = log_of(f)
    return k * high - ((square - (rest + (k * low + where(near, 0.0, lost)))) - f), whole_part


def log1p(x: Value) -> Result:
    """``log(1 + x)`` without cancellation; it has the sign of `x`, zeros too."""
    value, whole_part = _beside_one(x)
    return Result(signed(value, sign_of(x)), ~is_usual(whole_part), Result(log_specials(whole_part, whole_part)))


#: where squares of numbers are finite, and adding 1 to them does nothing
_SQUARES = {SINGLE: 2.0**60, LONGER: 2.0**500}


def _log_of_twice(x: Value) -> Value:
    """``log(2 x)``, which is not to overflow."""
    k, mantissa = apart(x)
    return log_specials(x, _natural(k + 1.0, mantissa))


def asinh(x: Value) -> Result:
    """The inverse of the hyperbolic sine."""
    size = size_of(x)
    square = size * size
    value, _ = _beside_one(size + square / (called("sqrt", square + 1.0) + 1.0))
    sign = sign_of(x)
    return Result(signed(value, sign), ~(size < _SQUARES[x.format]), Result(signed(_log_of_twice(size), sign)))


def acosh(x: Value) -> Result:
    """The inverse of the hyperbolic cosine."""
    t = x - 1.0
    value, _ = _beside_one(t + called("sqrt", t * 2.0 + t * t))
    usual = (x >= 1.0) & (x < _SQUARES[x.format])
    return Result(value, ~usual, Result(where(x < 1.0, nan(x), _log_of_twice(x))))


def atanh(x: Value) -> Result:
    """The inverse of the hyperbolic tangent."""
    size = size_of(x)
    twice = size * 2.0
    ratio = size / (1.0 - size)
    value, whole_part = _beside_one(where(size < 0.5, twice + twice * ratio, ratio * 2.0))
    special = log_specials(whole_part, whole_part)
    return Result(signed(value * 0.5, sign_of(x)), ~is_usual(whole_part), Result(signed(special, sign_of(x))))
