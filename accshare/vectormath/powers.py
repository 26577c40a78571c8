"""Powers with any exponent, and roots."""

from __future__ import annotations

import math

from accshare.vectormath.build import LONGER, SINGLE, Result, Value, called, in_double, infinite, like, nan, where
from accshare.vectormath.polynomials import CBRT, EXP, LOG, LOG_REST
from accshare.vectormath.primitives import (
    as_number,
    clamped,
    leading,
    nearest,
    polynomial,
    power_of_two,
    scaled,
    sign_of,
    signed,
    size_of,
    taken_apart,
)


def pow(x: Value, y: Value) -> Result:
    """Zeros, and what is not finite, are left to the device."""
    size = size_of(x)
    magnitude = in_double(_plainly, size, y) if x.format is SINGLE else _in_parts(size, y)
    kind, negative = x.format, x < 0.0
    integer = y.to(kind.integer)  # of large numbers, which are all even, an even one too
    sign = negative & (integer << 8 * x.type.bytes - 1)
    fraction = integer.to(kind.scalar).differs(y) & (size_of(y) < 2.0**kind.digits)
    value = where(negative & fraction, nan(x), signed(magnitude, sign))
    usual = (size > 0.0) & (size < infinite(x)) & (size_of(y) < infinite(y))
    return Result(value, ~usual)


#: enough for results in float
_LOG, _EXP = LOG.double[:5], EXP.double[:6]


def _plainly(x: Value, y: Value) -> Value:
    """Of floats in double: its error does not show."""
    exponent, mantissa = taken_apart(x, normal=True)
    f = mantissa - 1.0
    s = f / (f + 2.0)
    z = s * s
    log = s * (polynomial(z, _LOG) * z + 2.0)
    power = clamped((as_number(exponent) + log * (1 / math.log(2))) * y, -200.0, 200.0)
    n, scale = nearest(power, 256)
    r = (power - n) * math.log(2)
    near = 1.0 + (r + r * r * polynomial(r, _EXP))
    return near * power_of_two(scale, LONGER)


#: 2 over the logarithm of 2: half of its digits, the others, and both
_FACTOR = LONGER.split(2 / math.log(2))
_REST = _FACTOR[1] + 2 * 2.0355273740931033e-17
#: where powers are 0 or infinite in any case
_LIMIT = 2000.0


def _in_parts(x: Value, y: Value) -> Value:
    """The logarithm to base 2 to some 66 bits, times `y`: every product that leads is one of half as many digits."""
    exponent, mantissa = taken_apart(x)
    f = mantissa - 1.0
    d = f + 2.0
    d_high = leading(d)
    d_low = f - (d_high - 2.0)
    s = f / d
    s_high = leading(s)
    s_low = ((f - s_high * d_high) - s_high * d_low) / d
    # log(mantissa) / 2 = s (1 + w)
    square = s_high * s_high
    square_low = s_low * (s_high + s)
    w_high = leading(square * (1 / 3))
    z = s * s
    w_low = ((square - w_high * 3.0) + square_low) * (1 / 3) + z * z * (polynomial(z, LOG_REST.double) * 0.5)
    product = s_high * w_high
    high = s_high + product
    low = ((s_high - high) + product) + (s_low + (s_low * w_high + s * w_low))
    # in base 2
    near = leading(high)
    far = (high - near) + low
    k, base = as_number(exponent), near * _FACTOR[0]
    total = k + base
    rest = ((k - total) + base) + (near * _REST + far * (2 / math.log(2)))
    total_high = leading(total)
    total_low = (total - total_high) + rest
    y_high = leading(y)
    power = y_high * total_high
    far_off = size_of(power) > _LIMIT
    power_low = where(far_off, 0.0, (y - y_high) * total_high + y * total_low)
    power = clamped(power, -_LIMIT, _LIMIT)
    n, scale = nearest(power + power_low, 2048)
    r = ((power - n) + power_low) * math.log(2)
    near_one = 1.0 + (r + r * r * polynomial(r, EXP.double))
    return scaled(near_one, scale, LONGER)


def cbrt(x: Value) -> Result:
    """The cube root."""
    kind, size = x.format, size_of(x)
    exponent, mantissa = taken_apart(size)
    third = ((exponent + 3 * 1024) * 21846 >> 16) - 1024
    over = exponent - third * 3
    one, two = over.equals(1), over.equals(2)
    of = mantissa * where(two, 4.0, where(one, 2.0, like(mantissa, 1.0)))
    root = polynomial(mantissa, kind.chosen(CBRT)) * where(
        two, 2 ** (2 / 3), where(one, 2 ** (1 / 3), like(mantissa, 1.0))
    )
    root = leading(root)
    r = of / (root * root)
    better = root + root * ((r - root) / (root + root + r))
    value = signed(better * power_of_two(third, kind), sign_of(x))
    return Result(where((size > 0.0) & (size < infinite(x)), value, x))


def hypot(x: Value, y: Value) -> Result:
    """Squares of numbers that are brought into the middle of the exponents where they have to be."""
    double = x.format is LONGER
    a, b = size_of(x), size_of(y)
    large, small, down, up = (500, -450, 600, 600) if double else (60, -50, 70, 90)
    most = where(a > b, a, b)
    factor = where(most > 2.0**large, 2.0**-down, where(most < 2.0**small, 2.0**up, like(x, 1.0)))
    back = where(most > 2.0**large, 2.0**down, where(most < 2.0**small, 2.0**-up, like(x, 1.0)))
    p, q = a * factor, b * factor
    value = called("sqrt", p * p + q * q) * back
    infinity = infinite(x)
    return Result(where(a.equals(infinity) | b.equals(infinity), infinity, value))
