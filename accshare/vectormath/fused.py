"""Functions for processors that multiply and add in one step, which tells what a product loses without cutting its
factors in halves.

Only `multiplied_and_added` is counted on to round once: the compiler may fuse other products and sums, or not.
"""

from __future__ import annotations

from fractions import Fraction

from accshare.vectormath.build import LONGER, SINGLE, Format, Result, Value, called, infinite, like, nan, where
from accshare.vectormath.errors import LIMITS as ERFC_LIMITS
from accshare.vectormath.errors import erfc_by, product_of, twice_and_one
from accshare.vectormath.logarithms import LOG2_E, LOG2_E_REST, log_of, log_specials
from accshare.vectormath.polynomials import EXP2, LOG_REST
from accshare.vectormath.primitives import (
    apart,
    clamped,
    grown,
    is_usual,
    nearest,
    parts_of,
    polynomial,
    scaled,
    signed,
    size_of,
    whole,
)

#: the logarithm of e to base 2
_LOG2_E = Fraction(LOG2_E) + Fraction(LOG2_E_REST)
#: exponents with which powers are 0 or infinite in any case, and up to which they are normal numbers
_LIMITS, _USUAL = {SINGLE: 250.0, LONGER: 2000.0}, {SINGLE: 124.0, LONGER: 1020.0}


def multiplied_and_added(x: Value, y: Value | float, z: Value | float) -> Value:
    """``x * y + z``, rounded once."""
    return called("fma", x, like(x, y), like(x, z))


def log2(x: Value) -> Result:
    """To base 2."""
    near, far = x.format.parts(_LOG2_E)

    def value(k: Value, mantissa: Value) -> Value:
        f = mantissa - 1.0
        square, rest = log_of(f)
        high = f - square
        low = (f - high) - square + rest
        total = multiplied_and_added(high, near, k)
        lost = multiplied_and_added(high, near, k - total)
        return total + (low * near + (high * far + lost))

    return Result(value(*parts_of(x)), ~is_usual(x), Result(log_specials(x, value(*apart(x)))))


def erfc(x: Value) -> Result:
    """The complement of the error function."""
    return erfc_by(x, _complement)


def _complement(size: Value, kind: Format) -> Value:
    """``erfc`` of numbers that are at least a half, with one division."""
    size = clamped(size, 0.0, ERFC_LIMITS[kind])
    square = size * size
    divisor, lost = twice_and_one(size)
    more = size + 4.0
    one = 1.0 / (more * divisor)
    t, inverse = (size - 4.0) * (divisor * one), more * one
    dividend, rest, moved = product_of(t, -square, -multiplied_and_added(size, size, -square), kind)
    first = dividend * inverse
    left = multiplied_and_added(-first, divisor, dividend) + (rest - first * lost)
    return scaled(multiplied_and_added(left, inverse, first), whole(moved), size.format)


def pow(x: Value, y: Value) -> Result:
    """Zeros, and what is not finite, are left to the device."""
    kind, size, negative = x.format, size_of(x), x < 0.0
    high, low = _logarithm(*parts_of(size))
    n, moved = nearest(y * (high + low))
    value = grown(_power(_beside(n, y, high, low)), moved)
    magnitude = _bounded(y, *_logarithm(*apart(size)))
    integer = y.to(kind.integer)  # of large numbers, which are all even, an even one too
    sign = negative & (integer << 8 * x.type.bytes - 1)
    fraction = integer.to(kind.scalar).differs(y) & (size_of(y) < 2.0**kind.digits)
    whole_part = where(negative & fraction, nan(x), signed(magnitude, sign))
    finite = (size > 0.0) & (size < infinite(x)) & (size_of(y) < infinite(y))
    return Result(value, ~(is_usual(x) & (size_of(n) < _USUAL[kind])), Result(whole_part, ~finite))


def _logarithm(k: Value, mantissa: Value) -> tuple[Value, Value]:
    """The logarithm to base 2 in two parts, to some ten bits more than the type has."""
    kind = mantissa.format
    factor, factor_low = kind.parts(2 * _LOG2_E)
    third, third_low = kind.parts(2 * _LOG2_E / 3)
    f = mantissa - 1.0
    d = f + 2.0
    d_low = f - (d - 2.0)
    inverse = 1.0 / d
    s = f * inverse
    s_low = multiplied_and_added(-s, d_low, multiplied_and_added(-s, d, f)) * inverse
    # log2(mantissa) = factor * s + s * w
    z = s * s
    z_low = multiplied_and_added(s + s, s_low, multiplied_and_added(s, s, -z))
    w = z * third
    lost = multiplied_and_added(z, third, -w)
    rest = z * z * polynomial(z, tuple(float(c * _LOG2_E) for c in map(Fraction, kind.chosen(LOG_REST))))
    w_low = lost + (z * third_low + (z_low * third + rest))
    first = multiplied_and_added(s, factor, k)
    high = multiplied_and_added(s, w, first)
    low = multiplied_and_added(s, factor, k - first) + multiplied_and_added(s, w, first - high)
    return high, low + (s_low * (w + factor) + s * (w_low + factor_low))


def _beside(n: Value, y: Value, high: Value, low: Value) -> Value:
    """What ``y * (high + low)`` has beside a whole number near it."""
    return multiplied_and_added(y, low, multiplied_and_added(y, high, -n))


def _power(r: Value) -> Value:
    """2 to a number between a half and minus a half."""
    return 1.0 + r * polynomial(r, r.format.chosen(EXP2))


def _bounded(y: Value, high: Value, low: Value) -> Value:
    """2 to a number of any size that is a product."""
    limit = _LIMITS[y.format]
    power = y * (high + low)
    n, moved = nearest(clamped(power, -limit, limit))
    r = where(size_of(power) > limit, 0.0, _beside(n, y, high, low))
    return scaled(_power(r), whole(moved), y.format)
