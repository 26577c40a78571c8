"""Derives the polynomials of ``accshare/vectormath/polynomials.py``, which it prints; needs mpmath.

Each is the Chebyshev interpolant of its function at as many places as it has coefficients, within a few per cent of the
best there is; that of a logarithm, whose errors count less the less the number is, is fitted with weights. The error is
that of the real polynomial, in units of the function's greatest value or weighted, before coefficients are rounded to
the type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath as mp

mp.mp.dps = 60

_QUARTER = mp.pi / 4
_HALF_LOG = mp.log(2) / 2 * mp.mpf("1.0001")
_ROOT = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mp.mpf("1.0001")
_TANGENT = mp.sqrt(2) - 1 + mp.mpf("1e-6")


def _odd(function: Callable[[mp.mpf], mp.mpf], *known: mp.mpf) -> Callable[[mp.mpf], mp.mpf]:
    """What is left of an odd function's series in powers of z = x*x, behind the terms that are `known`."""

    def rest(z: mp.mpf) -> mp.mpf:
        x = mp.sqrt(z)
        value = function(x) / x
        for k, coefficient in enumerate(known):
            value -= coefficient * z**k
        return value / z ** len(known)

    return rest


def _complement(t: mp.mpf) -> mp.mpf:
    """``(1 + 2 x) exp(x x) erfc(x)`` for ``t = (x - 4) / (x + 4)``."""
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def _doubled(s: mp.mpf) -> mp.mpf:
    return mp.log((1 + s) / (1 - s))


def _exponential(x: mp.mpf) -> mp.mpf:
    return (mp.exp(x) - 1 - x) / x**2


def _power(x: mp.mpf) -> mp.mpf:
    return mp.expm1(x * mp.log(2)) / x if x else mp.log(2)


def _complement_log(u: mp.mpf) -> mp.mpf:
    return mp.log(mp.erfc(u + 1))


def _cosine(z: mp.mpf) -> mp.mpf:
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


HEAD = '''"""Polynomials, lowest coefficient first, as ``benchmarks/polynomials.py`` prints them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Polynomial:
    """The coefficients that do for float, and those that double takes."""

    single: tuple[float, ...]
    double: tuple[float, ...]

'''

#: name, what it says, the function, its range, the coefficients for float and double
POLYNOMIALS = (
    ("EXP", "(exp(x) - 1 - x) / x^2", _exponential, -_HALF_LOG, _HALF_LOG * mp.mpf("1.001"), 5, 10),
    ("EXP2", "(2^x - 1) / x", _power, mp.mpf("-0.501"), mp.mpf("0.501"), 6, 11),
    ("LOG", "(log((1 + s) / (1 - s)) / s - 2) / z, z = s^2", _odd(_doubled, mp.mpf(2)), 0, _ROOT**2, 3, 7),
    (
        "LOG_REST",
        "(log((1 + s) / (1 - s)) / s - 2 - 2 / 3 z) / z^2, z = s^2",
        _odd(_doubled, mp.mpf(2), mp.mpf(2) / 3),
        0,
        _ROOT**2,
        3,
        8,
    ),
    ("SIN", "(sin(x) / x - 1) / z, z = x^2", _odd(mp.sin, mp.mpf(1)), 0, _QUARTER**2, 3, 6),
    ("COS", "(cos(x) - 1 + z / 2) / z^2, z = x^2", _cosine, 0, _QUARTER**2, 3, 6),
    ("ATAN", "(atan(x) / x - 1) / z, z = x^2", _odd(mp.atan, mp.mpf(1)), 0, _TANGENT**2, 5, 11),
    ("ASIN", "(asin(x) / x - 1) / z, z = x^2", _odd(mp.asin, mp.mpf(1)), 0, mp.mpf(1) / 4, 5, 13),
    ("ERF", "erf(x) / x - 1, z = x^2", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 0, 1, 6, 12),
    ("ERFC", "(1 + 2 x) exp(x^2) erfc(x), t = (x - 4) / (x + 4)", _complement, -1, mp.mpf(6) / 8, 12, 24),
    ("CBRT", "the cube root of x", mp.cbrt, mp.mpf("0.707"), mp.mpf("1.4143"), 4, 7),
)


def _fitted(
    function: Callable[[mp.mpf], mp.mpf], weight: Callable[[mp.mpf], mp.mpf], low: mp.mpf, high: mp.mpf, count: int
) -> tuple[Sequence[mp.mpf], mp.mpf]:
    """Coefficients, highest first, with the least weighted error: least squares, again and again with more weight where
    the error is large."""
    places = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / (3 * count)) for k in range(3 * count)]
    places = [(low + high) / 2 + (high - low) / 2 * place for place in places]
    extra = [mp.mpf(1)] * len(places)
    found: list[tuple[mp.mpf, list[mp.mpf]]] = []
    for _ in range(8):
        scales = [weight(x) * more for x, more in zip(places, extra, strict=True)]
        matrix = mp.matrix([[s * x**k for k in range(count)] for x, s in zip(places, scales, strict=True)])
        wanted = mp.matrix([s * function(x) for x, s in zip(places, scales, strict=True)])
        coefficients = list(mp.qr_solve(matrix, wanted)[0])[::-1]
        errors = [abs(weight(x) * (function(x) - mp.polyval(coefficients, x))) for x in places]
        found.append((max(errors), coefficients))
        extra = [more * mp.sqrt(e / max(errors) + mp.mpf("1e-6")) for more, e in zip(extra, errors, strict=True)]
        extra = [more / max(extra) for more in extra]
    error, best = min(found)
    return best, error


def _complement_of(u: mp.mpf) -> mp.mpf:
    return mp.erfc(u + 1)


def _weighted() -> None:
    """Prints the one that is fitted."""
    print("\n#: log(erfc(x + 1)) for 0.0 to 3.0, or to 5.0; errors are those of erfc")
    print("ERFC_LOG = Polynomial(")
    for high, count in (("3.0001", 7), ("5.0001", 18)):
        coefficients, error = _fitted(_complement_log, _complement_of, mp.mpf("-0.001"), mp.mpf(high), count)
        _print(coefficients, error)
    print(")")


def _print(coefficients: Sequence[mp.mpf], error: mp.mpf) -> None:
    print(f"    (  # within {mp.nstr(error, 2)}")
    for coefficient in reversed(coefficients):
        print(f"        {float(coefficient)!r},")
    print("    ),")


def main() -> None:
    print(HEAD, end="")
    for name, what, function, low, high, *counts in POLYNOMIALS:
        print(f"\n#: {what} for {mp.nstr(mp.mpf(low), 4)} to {mp.nstr(mp.mpf(high), 4)}")
        print(f"{name} = Polynomial(")
        for count in counts:
            coefficients, error = mp.chebyfit(function, [low, high], count, error=True)
            greatest = max(abs(function(low + (high - low) * mp.mpf(k) / 64)) for k in range(1, 64))
            _print(coefficients, error / greatest)
        print(")")
    _weighted()


if __name__ == "__main__":
    main()
