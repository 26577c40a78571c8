"""Movements and their modifiers as the runtime takes them (``accshare_abi.h``)."""

from __future__ import annotations

from collections.abc import Iterable

from accshare.pragma.ir import Movement

#: a modifier of a clause, and what it asks of the runtime; ``readonly`` asks for nothing
_FLAGS = {
    "zero": ("ZERO",),
    "capture": ("CAPTURE",),
    "always": ("ALWAYS_IN", "ALWAYS_OUT"),
    "alwaysin": ("ALWAYS_IN",),
    "alwaysout": ("ALWAYS_OUT",),
}
_COMES_IN = {Movement.COPY, Movement.COPYIN}
_GOES_OUT = {Movement.COPY, Movement.COPYOUT}


def movement_text(movement: Movement, modifiers: Iterable[str]) -> str:
    """The C expression for a movement with its modifiers."""
    flags = [flag for modifier in modifiers for flag in _FLAGS.get(modifier, ()) if _applies(flag, movement)]
    return " | ".join(f"__ACCSHARE_{word}" for word in dict.fromkeys((movement.name, *flags)))


def _applies(flag: str, movement: Movement) -> bool:
    """``always`` stands for what the clause copies anyway, at the beginning, at the end, or both."""
    wanted = {"ALWAYS_IN": _COMES_IN, "ALWAYS_OUT": _GOES_OUT}.get(flag)
    return wanted is None or movement in wanted
