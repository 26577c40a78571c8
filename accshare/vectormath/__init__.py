"""Mathematical functions on vectors, in the C AST: compilers for CPUs call one of the library for each lane.

Errors are at most 2 units in the last place, with the special values of C's Annex F; ``docs/math.md`` has the figures.
"""

from __future__ import annotations

from collections.abc import Callable

from accshare.frontend.ir import Call, Function, Scalar
from accshare.vectormath import errors, exponentials, fused, logarithms, powers, rounding, trigonometry
from accshare.vectormath.build import RARE, Result, functions

__all__ = ["RARE", "is_worth_it", "plain", "vector_functions"]

_BODIES: tuple[Callable[..., Result], ...] = (
    exponentials.exp,
    exponentials.exp2,
    exponentials.exp10,
    exponentials.expm1,
    exponentials.sinh,
    exponentials.cosh,
    exponentials.tanh,
    logarithms.log,
    logarithms.log2,
    logarithms.log10,
    logarithms.log1p,
    logarithms.asinh,
    logarithms.acosh,
    logarithms.atanh,
    powers.pow,
    powers.cbrt,
    powers.hypot,
    trigonometry.sin,
    trigonometry.cos,
    trigonometry.tan,
    trigonometry.asin,
    trigonometry.acos,
    trigonometry.atan,
    trigonometry.atan2,
    errors.erf,
    errors.erfc,
    rounding.fmod,
    rounding.fdim,
    rounding.copysign,
    rounding.round,
)
#: by the name without the f of the float version
_FUNCTIONS = {body.__name__: body for body in _BODIES}
#: other ways to compute them, by products and sums in one step
_FUSED: dict[str, Callable[..., Result]] = {body.__name__: body for body in (fused.erfc, fused.log2, fused.pow)}
#: without them, `float` by `double`: four at once take longer than four calls
_WIDENED = {"erfc", "pow"}
_FEW, _DOUBLE = 4, 8


def plain(call: Call) -> str | None:
    """The function that is called, without the f of the float version; None where there is none for vectors."""
    if call.callee in _FUNCTIONS:
        return call.callee
    name = call.callee.removesuffix("f")
    return name if name in _FUNCTIONS else None


def is_worth_it(name: str, type_: Scalar, fuses: bool) -> bool:
    """Whether `vector_functions` are faster than the library's function, called for each lane of the vector."""
    return fuses or name not in _WIDENED or type_.bytes == _DOUBLE or type_.lanes > _FEW


def vector_functions(name: str, type_: Scalar, fuses: bool) -> tuple[Function, ...]:
    """The function on vectors of a type, behind those that it calls, for a device that multiplies and adds in one step
    or for any; no name of the user's begins as theirs do."""
    body = _FUSED.get(name) if fuses else None
    return functions(f"__accshare_{name}_{type_.name}{type_.lanes}", name, type_, body or _FUNCTIONS[name])
