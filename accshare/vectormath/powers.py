"""Powers with any exponent, and roots."""

from __future__ import annotations

import math

from accshare.vectormath.build import LONGER, SINGLE, Result, Value, called, in_double, infinite, like, nan, where
from accshare.vectormath.exponentials import power_parts
from accshare.vectormath.polynomials import CBRT, EXP2, LOG, LOG_REST
from accshare.vectormath.primitives import (
    apart,
    clamped,
    grown,
    is_usual,
    leading,
    nearest,
    parts_of,
    polynomial,
    scaled,
    sign_of,
    signed,
    size_of,
    whole,
)


def pow(x: Value, y: Value) -> Result:
    """Zeros, and what is not finite, are left to the device."""
    size, kind, negative = size_of(x), x.format, x < 0.0
    if kind is SINGLE:
        magnitude = value = in_double(_plainly, size, y)
        usual = is_usual(x) & (size_of(y) < infinite(y))
    else:
        power, rest = _power(*parts_of(size), y)
        n, moved = nearest(power + rest)
        value = grown(power_parts(power, n, rest), moved)
        usual = is_usual(x) & (size_of(power) < _USUAL)
        magnitude = _bounded(*_power(*apart(size), y))
    integer = y.to(kind.integer)  # of large numbers, which are all even, an even one too
    sign = negative & (integer << 8 * x.type.bytes - 1)
    fraction = integer.to(kind.scalar).differs(y) & (size_of(y) < 2.0**kind.digits)
    whole_part = where(negative & fraction, nan(x), signed(magnitude, sign))
    finite = (size > 0.0) & (size < infinite(x)) & (size_of(y) < infinite(y))
    return Result(value, ~usual, Result(whole_part, ~finite))


#: enough for results in float, the first in base 2
_LOG, _EXP = tuple(c / math.log(2) for c in LOG.double[:5]), EXP2.single


def _plainly(x: Value, y: Value) -> Value:
    """Of floats in double: its error does not show."""
    exponent, mantissa = parts_of(x)
    f = mantissa - 1.0
    s = f / (f + 2.0)
    z = s * s
    log = exponent + s * (polynomial(z, _LOG) * z + 2 / math.log(2))
    power = clamped(log * y, -200.0, 200.0)
    n, moved = nearest(power)
    r = power - n
    return grown(1.0 + r * polynomial(r, _EXP), moved)


#: 2 over the logarithm of 2: half of its digits, the others, and both
_FACTOR = LONGER.split(2 / math.log(2))
_REST = _FACTOR[1] + 2 * 2.0355273740931033e-17
#: where powers are 0 or infinite in any case, and up to where they are normal numbers
_LIMIT, _USUAL = 2000.0, 1020.0


def _power(k: Value, mantissa: Value, y: Value) -> tuple[Value, Value]:
    """The logarithm to base 2 to some 66 bits, times `y`: every product that leads is one of half as many digits."""
    f = mantissa - 1.0
    d = f + 2.0
    d_high = leading(d)
    d_low = f - (d_high - 2.0)
    inverse = 1.0 / d
    s = f * inverse
    s_high = leading(s)
    s_low = ((f - s_high * d_high) - s_high * d_low) * inverse
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
    base = near * _FACTOR[0]
    total = k + base
    rest = ((k - total) + base) + (near * _REST + far * (2 / math.log(2)))
    total_high = leading(total)
    total_low = (total - total_high) + rest
    y_high = leading(y)
    return y_high * total_high, (y - y_high) * total_high + y * total_low


def _bounded(power: Value, rest: Value) -> Value:
    """2 to a power of any size, which is given in parts."""
    rest = where(size_of(power) > _LIMIT, 0.0, rest)
    power = clamped(power, -_LIMIT, _LIMIT)
    n, moved = nearest(power + rest)
    return scaled(power_parts(power, n, rest), whole(moved), LONGER)


def cbrt(x: Value) -> Result:
    """The cube root; zero, infinity and NaN are their own."""
    kind, size = x.format, size_of(x)

    def value(k: Value, mantissa: Value) -> Value:
        n, moved = nearest(k * (1 / 3))
        over = k - n * 3.0
        more, less = over.equals(1.0), over.equals(-1.0)
        one = like(mantissa, 1.0)
        of = mantissa * where(more, 2.0, where(less, 0.5, one))
        root = polynomial(mantissa, kind.chosen(CBRT)) * where(more, 2 ** (1 / 3), where(less, 2 ** (-1 / 3), one))
        root = leading(root)
        r = of / (root * root)
        better = root + root * ((r - root) / (root + root + r))
        return signed(grown(better, moved), sign_of(x))

    finite = (size > 0.0) & (size < infinite(x))
    return Result(value(*parts_of(size)), ~is_usual(size), Result(where(finite, value(*apart(size)), x)))


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
