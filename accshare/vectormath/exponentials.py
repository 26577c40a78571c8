"""Exponentials, and what is made of them."""

from __future__ import annotations

import math

from accshare.vectormath.build import LONGER, SINGLE, Result, Value, where
from accshare.vectormath.polynomials import EXP
from accshare.vectormath.primitives import (
    LOG2,
    clamped,
    nearest,
    polynomial,
    power_of_two,
    quotient,
    scaled,
    sign_of,
    signed,
    size_of,
)

#: where exponentials are 0 or infinite in any case
_LIMITS = {SINGLE: (-105.0, 90.0), LONGER: (-750.0, 715.0)}


def exponential_parts(x: Value, rest: Value | None = None) -> tuple[Value, Value]:
    """``exp(x + rest)`` as what a number near 1 has beside that, and the exponent that it lacks; `rest` is small beside
    1."""
    kind = x.format
    high, low = LOG2[kind]
    n, exponent = nearest(x * (1 / math.log(2)), 2048)
    r = (x - n * high) + (-(n * low) if rest is None else rest - n * low)
    return r + r * r * polynomial(r, kind.chosen(EXP)), exponent


def exponential(x: Value) -> Value:
    """``exp(x)``, for all numbers."""
    kind = x.format
    more, exponent = exponential_parts(clamped(x, *_LIMITS[kind]))
    return scaled(1.0 + more, exponent, kind)


def exp(x: Value) -> Result:
    """The exponential function."""
    return Result(exponential(x))


def exp2(x: Value) -> Result:
    """Powers of 2."""
    kind = x.format
    x = clamped(x, -1.0 * (kind.bias + kind.digits + 4), kind.bias + 2.0)
    n, exponent = nearest(x, 2048)
    r = (x - n) * math.log(2)
    near = 1.0 + (r + r * r * polynomial(r, kind.chosen(EXP)))
    return Result(scaled(near, exponent, kind))


def less_one(x: Value) -> Value:
    """``exp(x) - 1`` for `x` below a hundred or less, where the exponent is no limit."""
    kind = x.format
    high, low = LOG2[kind]
    n, exponent = nearest(x * (1 / math.log(2)), 2048)
    r = x - n * high
    rest = n * low
    t = r - rest
    lost = (r - t) - rest
    small = t + (lost + t * t * polynomial(t, kind.chosen(EXP)))
    power = power_of_two(exponent, kind)
    return power * small + (power - 1.0)


def expm1(x: Value) -> Result:
    """``exp(x) - 1`` without cancellation."""
    kind = x.format
    large = 40.0 if kind is LONGER else 20.0
    below = less_one(clamped(x, -large, large))
    return Result(where(x > large, exponential(x), where(x.equals(0.0), x, below)))


def tanh(x: Value) -> Result:
    """The hyperbolic tangent."""
    size = clamped(size_of(x), 0.0, 22.0 if x.format is LONGER else 10.0)
    grown = less_one(size + size)
    divisor = grown + 2.0
    lost = (2.0 - divisor) + grown
    lost = where(grown > 2.0, (grown - divisor) + 2.0, lost)
    return Result(signed(quotient(grown, divisor, lost), sign_of(x)))


#: where exponentials come near the largest numbers
_LARGE = {SINGLE: 85.0, LONGER: 700.0}


def sinh(x: Value) -> Result:
    """The hyperbolic sine; near the largest numbers it is left to the device."""
    size, limit = size_of(x), _LARGE[x.format]
    grown = less_one(clamped(size, 0.0, limit))
    return Result(signed((grown + grown / (grown + 1.0)) * 0.5, sign_of(x)), ~(size <= limit))


def cosh(x: Value) -> Result:
    """The hyperbolic cosine; near the largest numbers it is left to the device."""
    size = size_of(x)
    power = exponential(size)
    return Result(power * 0.5 + 0.5 / power, ~(size <= _LARGE[x.format]))
