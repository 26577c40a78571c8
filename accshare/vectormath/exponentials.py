"""Exponentials, and what is made of them."""

from __future__ import annotations

import math

from accshare.vectormath.build import LONGER, SINGLE, Format, Result, Value, like, where
from accshare.vectormath.polynomials import EXP, EXP2
from accshare.vectormath.primitives import (
    LOG2,
    clamped,
    grown,
    nearest,
    polynomial,
    quotient,
    scaled,
    sign_of,
    signed,
    size_of,
    whole,
)

#: where exponentials are 0 or infinite in any case
_LIMITS = {SINGLE: (-105.0, 90.0), LONGER: (-750.0, 715.0)}
#: up to where those of numbers of either sign are normal numbers
_USUAL = {SINGLE: 87.0, LONGER: 708.0}


def exponential_parts(x: Value, rest: Value | None = None, kind: Format | None = None) -> tuple[Value, Value]:
    """``exp(x + rest)`` as what a number near 1 has beside that, and the exponent that it lacks, as `nearest` gives it;
    `rest` is small beside 1. It is as exact as another type wants it if that is given."""
    high, low = LOG2[x.format]
    n, moved = nearest(x * (1 / math.log(2)))
    r = (x - n * high) + (-(n * low) if rest is None else rest - n * low)
    return r + r * r * polynomial(r, (kind or x.format).chosen(EXP)), moved


def exponential(x: Value) -> Value:
    """``exp(x)``, for all numbers."""
    kind = x.format
    more, moved = exponential_parts(clamped(x, *_LIMITS[kind]))
    return scaled(1.0 + more, whole(moved), kind)


def usual_exponential(x: Value) -> Value:
    """``exp(x)`` where that is a normal number."""
    more, moved = exponential_parts(x)
    return grown(1.0 + more, moved)


def exp(x: Value) -> Result:
    """The exponential function."""
    return Result(usual_exponential(x), ~(size_of(x) <= _USUAL[x.format]), Result(exponential(x)))


def power_parts(x: Value, n: Value, rest: Value | None = None) -> Value:
    """2 to what a number has beside a whole one near it."""
    r = x - n if rest is None else (x - n) + rest
    return 1.0 + r * polynomial(r, r.format.chosen(EXP2))


def exp2(x: Value) -> Result:
    """Powers of 2."""
    kind = x.format
    n, moved = nearest(x)
    most = kind.bias - 2.0
    bounded = clamped(x, -1.0 * (kind.bias + kind.digits + 4), kind.bias + 2.0)
    near, small = nearest(bounded)
    instead = scaled(power_parts(bounded, near), whole(small), kind)
    return Result(grown(power_parts(x, n), moved), ~(size_of(x) <= most), Result(instead))


#: powers of 10: the logarithm of 10 to base 2, and that of 2 to base 10, whose first part times an exponent is exact
_LOG2_10 = math.log2(10)
_LOG10_2 = {SINGLE: (0.301025390625, 4.605038981195214e-06), LONGER: (0.30102999566395283, 2.8363394551044964e-14)}
#: where they are 0 or infinite in any case, and up to where those of numbers of either sign are normal numbers
_TENS, _USUAL_TENS = {SINGLE: (-46.0, 39.0), LONGER: (-325.0, 310.0)}, {SINGLE: 37.5, LONGER: 307.5}


def exp10(x: Value) -> Result:
    """Powers of 10."""
    high, low = _LOG10_2[x.format]

    def parts(x: Value) -> tuple[Value, Value]:
        n, moved = nearest(x * _LOG2_10)
        r = ((x - n * high) - n * low) * _LOG2_10
        return 1.0 + r * polynomial(r, r.format.chosen(EXP2)), moved

    power, moved = parts(x)
    bounded, small = parts(clamped(x, *_TENS[x.format]))
    usual = size_of(x) <= _USUAL_TENS[x.format]
    return Result(grown(power, moved), ~usual, Result(scaled(bounded, whole(small), x.format)))


def less_one(x: Value) -> Value:
    """``exp(x) - 1`` for `x` below a hundred or less, where the exponent is no limit."""
    kind = x.format
    high, low = LOG2[kind]
    n, moved = nearest(x * (1 / math.log(2)))
    r = x - n * high
    rest = n * low
    t = r - rest
    lost = (r - t) - rest
    small = t + (lost + t * t * polynomial(t, kind.chosen(EXP)))
    power = grown(like(x, 1.0), moved)
    return power * small + (power - 1.0)


def expm1(x: Value) -> Result:
    """``exp(x) - 1`` without cancellation; it has the sign of `x`, zeros too."""
    large = 40.0 if x.format is LONGER else 20.0
    instead = where(x > large, exponential(x), less_one(clamped(x, -large, large)))
    return Result(signed(less_one(x), sign_of(x)), ~(size_of(x) <= large), Result(instead))


def tanh(x: Value) -> Result:
    """The hyperbolic tangent."""
    most = 22.0 if x.format is LONGER else 10.0
    size = size_of(x)
    size = where(size > most, most, size)
    twice = less_one(size + size)
    divisor = twice + 2.0
    lost = (2.0 - divisor) + twice
    lost = where(twice > 2.0, (twice - divisor) + 2.0, lost)
    return Result(signed(quotient(twice, divisor, lost), sign_of(x)))


#: where exponentials come near the largest numbers
_LARGE = {SINGLE: 85.0, LONGER: 700.0}


def sinh(x: Value) -> Result:
    """The hyperbolic sine; near the largest numbers it is left to the device."""
    size, limit = size_of(x), _LARGE[x.format]
    more = less_one(size)
    return Result(signed((more + more / (more + 1.0)) * 0.5, sign_of(x)), ~(size <= limit))


def cosh(x: Value) -> Result:
    """The hyperbolic cosine; near the largest numbers it is left to the device."""
    size = size_of(x)
    power = usual_exponential(size)
    return Result(power * 0.5 + 0.5 / power, ~(size <= _LARGE[x.format]))
