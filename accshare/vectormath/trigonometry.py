"""Trigonometric functions and their inverses."""

from __future__ import annotations

import math

from accshare.vectormath.build import DOUBLE, LONGER, SINGLE, Result, Value, called, infinite, like, where
from accshare.vectormath.polynomials import ASIN, ATAN, COS, SIN
from accshare.vectormath.primitives import leading, nearest, polynomial, sign_of, signed, size_of

#: half of pi in parts: each but the last times a whole number up to the limit's is exact
_PARTS = {
    SINGLE: (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.563344151594519e-12),
    LONGER: (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32),
}
_LIMITS = {SINGLE: 12000.0, LONGER: 1.0e6}


def _turned(size: Value) -> tuple[Value, Value, Value, Value]:
    """Of a number that is not negative: sine and cosine of what is left of it beside quarters of a turn, the number of
    those, and where there are too many to tell."""
    kind = size.format
    first, second, third, fourth = _PARTS[kind]
    n, quarters = nearest(size * (2 / math.pi))
    t = size - n * first
    near = t - n * second
    lost = ((t - near) - n * second) - n * third
    r = near + lost
    rest = ((near - r) + lost) - n * fourth
    z = r * r
    half = z * 0.5
    one = 1.0 - half
    sine = r + (r * z * polynomial(z, kind.chosen(SIN)) + rest * one)
    cosine = one + (((1.0 - one) - half) + (z * z * polynomial(z, kind.chosen(COS)) - r * rest))
    return sine, cosine, quarters, ~(size <= _LIMITS[kind])


def _bit_to_sign(quarters: Value) -> Value:
    """The sign that every other half of a turn has."""
    bits = 8 * quarters.type.bytes
    return (quarters & 2) << bits - 2


def sin(x: Value) -> Result:
    """The sine; of large angles it is left to the device."""
    sine, cosine, quarters, far = _turned(size_of(x))
    value = where((quarters & 1).differs(0), cosine, sine)
    return Result((value.bits ^ _bit_to_sign(quarters) ^ sign_of(x)).number, far)


def cos(x: Value) -> Result:
    """The cosine; of large angles it is left to the device."""
    sine, cosine, quarters, far = _turned(size_of(x))
    value = where((quarters & 1).differs(0), sine, cosine)
    return Result((value.bits ^ _bit_to_sign(quarters + 1)).number, far)


def tan(x: Value) -> Result:
    """The tangent; of large angles it is left to the device, for float in double."""
    sine, cosine, quarters, far = _turned(size_of(x))
    odd = (quarters & 1).differs(0)
    value = where(odd, -cosine, sine) / where(odd, sine, cosine)
    wide = x.to(DOUBLE)
    own = (called("sin", wide) / called("cos", wide)).to(x.type)
    return Result((value.bits ^ sign_of(x)).number, far, Result(own) if x.format is SINGLE else None)


#: pi, its half and its quarter, and what their doubles lack
_PI, _PI_REST = math.pi, 1.2246467991473532e-16


def _parts_of_pi(x: Value, part: float) -> tuple[float, float]:
    """A part of pi in the type, and the rest of it."""
    near = x.format.rounded(_PI * part)
    return near, (_PI * part - near) + _PI_REST * part


def _arctangent(t: Value) -> Value:
    """What the arctangent of a number below 0.42 adds to the number."""
    z = t * t
    return t * z * polynomial(z, t.format.chosen(ATAN))


_LOW, _HIGH = math.sqrt(2) - 1, math.sqrt(2) + 1


def atan(x: Value) -> Result:
    """The arctangent, of what is left of an angle beside an eighth or a quarter of a turn."""
    size = size_of(x)
    high, middle = size > _HIGH, size > _LOW
    t = where(high, -1.0, where(middle, size - 1.0, size)) / where(high, size, where(middle, size + 1.0, 1.0))
    (half, half_rest), (quarter, quarter_rest) = _parts_of_pi(x, 0.5), _parts_of_pi(x, 0.25)
    base = where(high, half, where(middle, quarter, like(x, 0.0)))
    rest = where(high, half_rest, where(middle, quarter_rest, like(x, 0.0)))
    return Result(signed(base + (t + (_arctangent(t) + rest)), sign_of(x)))


def atan2(y: Value, x: Value) -> Result:
    """The arctangent of the smaller one over the larger one, mirrored."""
    one = like(x, 1.0)
    a, b = size_of(y), size_of(x)
    steep = a > b
    most, least = where(steep, a, b), where(steep, b, a)
    both = least.equals(infinite(x))
    scale = where(most > 1.0, 0.5, one * 2.0 ** (x.format.digits + 7))  # of subnormals, too, all digits count
    most, least = where(both, 1.0, most * scale), where(both, 1.0, least * scale)
    middle = least > most * _LOW
    t = where(middle, least - most, least) / where(middle, least + most, most)
    t = where(least.equals(0.0), least, t)
    (whole_pi, whole_rest), (half, half_rest), (quarter, quarter_rest) = (_parts_of_pi(x, p) for p in (1.0, 0.5, 0.25))
    more = _arctangent(t)
    # base + side * (corner + t + more), in which every base has its rest
    corner, corner_rest = where(middle, quarter, one * 0.0), where(middle, quarter_rest, one * 0.0)
    left = sign_of(x).differs(0)
    base = where(steep, half, where(left, whole_pi, one * 0.0))
    base_rest = where(steep, half_rest, where(left, whole_rest, one * 0.0))
    back = where(steep, ~left, left)
    side = where(back, -1.0, one)
    turned = base + side * corner
    value = turned + (side * t + (side * (more + corner_rest) + base_rest))
    unordered = x.differs(x) | y.differs(y)
    return Result(where(unordered, x + y, signed(value, sign_of(y))))


def asin(x: Value) -> Result:
    """The arcsine, above a half by the square root of what is left to 1, which is taken to more digits."""
    size = size_of(x)
    large = size > 0.5
    z, s = _halved(size, large)
    more = s * z * polynomial(z, x.format.chosen(ASIN))
    near = leading(s)
    lost = (z - near * near) / (s + near + x.format.smallest)
    half, rest = _parts_of_pi(x, 0.5)
    value = where(large, (half - near * 2.0) - ((more + lost) * 2.0 - rest), s + more)
    return Result(signed(value, sign_of(x)))


def acos(x: Value) -> Result:
    """The arccosine, above a half by the square root of what is left to 1."""
    size = size_of(x)
    large, negative = size > 0.5, x < 0.0
    z, s = _halved(size, large)
    more = s * z * polynomial(z, x.format.chosen(ASIN))
    half, rest = _parts_of_pi(x, 0.5)
    value = (s + more) * 2.0
    turned = where(negative, 2.0 * half - (value - 2.0 * rest), value)
    s, more = where(negative, -s, s), where(negative, -more, more)
    return Result(where(large, turned, half - (s - (rest - more))))


def _halved(size: Value, large: Value) -> tuple[Value, Value]:
    """The square of the sine, and the sine: of half of what is left to a quarter of a turn where that is less."""
    z = where(large, (1.0 - size) * 0.5, size * size)
    return z, where(large, called("sqrt", z), size)
