"""C library functions and their OpenCL counterparts."""

from __future__ import annotations

from accshare.frontend.ir import INT, LONG, Scalar, Type

FLOAT = Scalar("float", 4, True, True)
DOUBLE = Scalar("double", 8, True, True)

_NAMES = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor fma
fmax fmin fmod hypot ilogb ldexp lgamma log log10 log1p log2 logb lrint lround llrint llround nearbyint nextafter pow
remainder rint round scalbn sin sinh sqrt tan tanh tgamma trunc
"""
_FUNCTIONS = frozenset(_NAMES.split())

_PREDICATES = """
isnan isinf isfinite isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered
"""
#: functions that are true or false; OpenCL overloads them as C's macros do
PREDICATES = frozenset(_PREDICATES.split())

#: integer functions and the type they work in; OpenCL's abs returns an unsigned value
INTEGER: dict[str, Scalar] = {"abs": INT, "labs": LONG, "llabs": LONG}

#: functions that round to an integer type, and the OpenCL function that rounds alike
ROUNDINGS = {"lrint": "rint", "llrint": "rint", "lround": "round", "llround": "round"}

_RENAMED = {"nearbyint": "rint"}


def overload(callee: str, result: Type) -> tuple[str | None, bool]:
    """The OpenCL name of a C function and whether its double version is meant: ``sqrtf`` is ``("sqrt", False)``.
    The name is None for an unknown function."""
    if callee in _FUNCTIONS:
        generic_float = isinstance(result, Scalar) and result.floating and result.bytes == 4
        return _RENAMED.get(callee, callee), not generic_float
    name = callee.removesuffix("f")
    return (_RENAMED.get(name, name), False) if name in _FUNCTIONS else (None, False)
