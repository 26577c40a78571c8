"""The routines of openacc.h that a region may call: what they give is known before it runs on a device."""

from __future__ import annotations

from accshare.frontend.constants import binary, converted
from accshare.frontend.ir import INT, Binary, Expr, IntLit, Storage, Symbol, Var
from accshare.source import Span

#: members of ``acc_device_t``
_NONE, _DEFAULT, _HOST, _NOT_HOST, _GPU, _CPU, _CURRENT = 0, 1, 2, 3, 6, 7, 8
_CERTAIN = {_NONE: 0, _HOST: 0, _DEFAULT: 1, _NOT_HOST: 1, _CURRENT: 1}

#: the type of the device the region runs on, a value that the host asks for before
DEVICE_TYPE = Symbol("acc_get_device_type()", "acc_device_type", INT, Storage.GLOBAL)
ROUTINES = frozenset({"acc_on_device", "acc_get_device_type"})


def routine(arguments: tuple[Expr, ...], current: Var, span: Span) -> Expr:
    """The value of a call; `current` is the type of the device."""
    return _on_device(arguments[0], current, span) if arguments else current


def _on_device(asked: Expr, current: Var, span: Span) -> Expr:
    """``acc_on_device(asked)`` on a device (OpenACC 3.3, 3.2.10): of its type, of its kind, and not the host."""
    if isinstance(asked, IntLit) and asked.value in _CERTAIN:
        return IntLit(_CERTAIN[asked.value], INT, span)
    asked = converted(asked, INT, True, span)

    def both(a: Expr, b: Expr) -> Expr:
        return Binary("&&", a, b, INT, span)

    def is_one(value: Expr, wanted: int, op: str = "==") -> Expr:
        return binary(op, value, IntLit(wanted, INT, span), INT, span)

    result: Expr = Binary("==", asked, current, INT, span)
    gpu = both(is_one(asked, _GPU), is_one(current, _CPU, "!="))
    for case in (gpu, *(is_one(asked, kind) for kind, truth in _CERTAIN.items() if truth)):
        result = Binary("||", result, case, INT, span)
    return result
