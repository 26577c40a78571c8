"""Logarithms."""

from __future__ import annotations

import math

from accshare.vectormath.build import Result, Value, infinite, nan, where
from accshare.vectormath.polynomials import LOG
from accshare.vectormath.primitives import LOG2, apart, is_usual, leading, parts_of, polynomial, sign_of, signed

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


def log1p(x: Value) -> Result:
    """``log(1 + x)`` without cancellation; it has the sign of `x`, zeros too."""
    kind = x.format
    whole_part = x + 1.0
    k, mantissa = parts_of(whole_part)
    high, low = LOG2[kind]
    near = k.equals(0.0)
    f = where(near, x, mantissa - 1.0)
    lost = where(x > 1.0, 1.0 - (whole_part - x), x - (whole_part - 1.0)) / whole_part
    square, rest = log_of(f)
    value = k * high - ((square - (rest + (k * low + where(near, 0.0, lost)))) - f)
    return Result(signed(value, sign_of(x)), ~is_usual(whole_part), Result(log_specials(whole_part, whole_part)))
