"""C library functions on numpy values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_Function = Callable[..., Any]


def _each(function: Callable[..., float]) -> _Function:
    """A function of Python floats, lane by lane."""
    whole = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(whole(x), dtype=x.dtype)[()]


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except (OverflowError, ValueError):
        return math.inf if x > 0 else math.nan


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except ValueError:
        return math.inf


def _remainder(x: float, y: float) -> float:
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


def _round(x: Any) -> Any:  # noqa: ANN401 - numpy arrays and scalars of any floating type
    """Halves away from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(x.dtype.type(1), x), whole)


def _fma(x: Any, y: Any, z: Any) -> Any:  # noqa: ANN401
    """Rounded once for float, almost always for double."""
    wide = np.float64 if x.dtype == np.float32 else np.longdouble
    return (x.astype(wide) * y.astype(wide) + z.astype(wide)).astype(x.dtype)


def _exponent(x: Any) -> Any:  # noqa: ANN401
    return (np.frexp(x)[1] - 1).astype(x.dtype)


_REMAINDER = np.frompyfunc(_remainder, 2, 1)

#: by the name without the f of the float version
FUNCTIONS: dict[str, _Function] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "exp": np.exp,
    "exp10": lambda x: np.power(x.dtype.type(10), x),
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.abs,
    "fdim": lambda x, y: np.where(x > y, x - y, x.dtype.type(0)),
    "floor": np.floor,
    "fma": _fma,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "hypot": np.hypot,
    "lgamma": _each(_lgamma),
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "logb": _exponent,
    "ilogb": _exponent,
    "lrint": np.rint,
    "llrint": np.rint,
    "lround": _round,
    "llround": _round,
    "nearbyint": np.rint,
    "nextafter": np.nextafter,
    "pow": np.power,
    "remainder": lambda x, y: np.asarray(_REMAINDER(x, y), dtype=x.dtype)[()],
    "rint": np.rint,
    "round": _round,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "tgamma": _each(_gamma),
    "trunc": np.trunc,
}

#: functions that are true or false
PREDICATES: dict[str, _Function] = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isnormal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
    "signbit": np.signbit,
    "isgreater": np.greater,
    "isgreaterequal": np.greater_equal,
    "isless": np.less,
    "islessequal": np.less_equal,
    "islessgreater": lambda x, y: (x < y) | (x > y),
    "isunordered": lambda x, y: np.isnan(x) | np.isnan(y),
}


def named(callee: str) -> tuple[_Function, bool] | None:
    """The function that C calls `callee`, and whether it is the one for float; None for an unknown one."""
    if callee in FUNCTIONS:
        return FUNCTIONS[callee], False
    plain = callee.removesuffix("f")
    return (FUNCTIONS[plain], True) if plain in FUNCTIONS and plain != callee else None
