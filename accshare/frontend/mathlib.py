"""The C library functions a device can call, and how compilers' built-in spellings of them are read."""

from __future__ import annotations

#: functions with a ``double`` form, a ``…f`` form for ``float``, and a type-generic one in <tgmath.h>
_UNARY = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 exp10 expm1 fabs floor lgamma log log10 "
    "log1p log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc"
)
_BINARY = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"
_TERNARY = "fma"
_MIXED = "ilogb ldexp lrint lround llrint llround scalbn"

#: how many floating arguments of one type the type-generic form takes
GENERIC: dict[str, int] = {
    **dict.fromkeys(_UNARY.split(), 1),
    **dict.fromkeys(_BINARY.split(), 2),
    **dict.fromkeys(_TERNARY.split(), 3),
}

_PREDICATES = (
    "isnan isinf isfinite isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered"
)
#: type-generic predicates, written without the ``__builtin_`` of the headers
PREDICATES = frozenset(_PREDICATES.split())
_INTEGER = frozenset({"abs", "labs", "llabs"})
_FLOATING = frozenset(name + suffix for name in (*GENERIC, *_MIXED.split()) for suffix in ("", "f"))

#: what header macros call instead of the plain function
_SPELLINGS = {
    "__isnan": "isnan",
    "__isnanf": "isnan",
    "__isinf": "isinf",
    "__isinff": "isinf",
    "__finite": "isfinite",
    "__finitef": "isfinite",
    "finite": "isfinite",
    "__signbit": "signbit",
    "__signbitf": "signbit",
    "isinf_sign": "isinf",
    "isnanf": "isnan",
    "isinff": "isinf",
}

#: constants that headers spell as calls: (numerator, denominator) of a quotient that gives them
CONSTANTS = {
    "inf": ("1.0", "0.0"),
    "inff": ("1.0f", "0.0f"),
    "huge_val": ("1.0", "0.0"),
    "huge_valf": ("1.0f", "0.0f"),
    "nan": ("0.0", "0.0"),
    "nanf": ("0.0f", "0.0f"),
}

#: prefix of the overloaded functions that stand for gcc's type-generic calls in libclang's copy
GENERIC_PREFIX = "__tg_"


def plain(callee: str) -> str:
    """A callee's name as <math.h> documents it: ``__builtin_fabsf`` is ``fabsf``."""
    name = callee.removeprefix("__builtin_")
    return _SPELLINGS.get(name, name)


def is_library(name: str) -> bool:
    """Whether a plain name is a function every device has."""
    return name in _FLOATING or name in _INTEGER or name in PREDICATES


def generic_prototypes(name: str) -> str:
    """Overloads, on one line, that give a call of <tgmath.h>'s `name` its C type: ``float`` when all arguments are."""
    kinds = ["float", "double"]
    if GENERIC[name] < 3:
        kinds += ["int", "unsigned", "long", "unsigned long"]
    argument_lists: list[tuple[str, ...]] = [()]
    for _ in range(GENERIC[name]):
        argument_lists = [(*known, kind) for known in argument_lists for kind in kinds]
    return "".join(
        f"{'float' if set(arguments) == {'float'} else 'double'} __attribute__((overloadable))"
        f" {GENERIC_PREFIX}{name}({','.join(arguments)});"
        for arguments in argument_lists
    )
