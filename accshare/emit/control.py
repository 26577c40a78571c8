"""The directives ``init``, ``shutdown`` and ``set``, which are calls of the routines with such names."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.diagnostics import Diagnostic
from accshare.emit.templates import render
from accshare.emit.text import Insertion, flat
from accshare.pragma.ir import Directive, DirectiveKind, SizeClause, WordClause
from accshare.records import dataclass

KINDS = frozenset({DirectiveKind.INIT, DirectiveKind.SHUTDOWN, DirectiveKind.SET})
#: ``acc_device_t``
_TYPES = {
    "*": 1,
    "default": 1,
    "host": 2,
    "not_host": 3,
    "nvidia": 4,
    "radeon": 5,
    "gpu": 6,
    "cpu": 7,
    "multicore": 7,
    "opencl": 9,
}
_CURRENT = 8
_NONE_GIVEN = "-1"


@dataclass(frozen=True, slots=True)
class _Call:
    operation: str
    device: int
    number: str


def insertion(directive: Directive, condition: str) -> Insertion:
    """The calls such a directive becomes, where its `condition` holds."""
    text = render("control.c.j2", condition=condition, calls=list(_calls(directive)))
    return Insertion(directive.span.end, (1, 0, directive.span.start), text)


def diagnostics(directive: Directive) -> Iterator[Diagnostic]:
    """A warning for each type of devices that nothing is known of."""
    for clause in _of_type(directive):
        for name in _names(clause):
            if _type(name) is None:
                message = f"{directive.kind.value} has no effect on devices of type {name}, which isn't known"
                yield Diagnostic("ACC105", message, clause.span, f"the types are {', '.join(_TYPES)}")


def _calls(directive: Directive) -> Iterator[_Call]:
    given = {c.name: flat(c.sizes[0].text) for c in directive.clauses if isinstance(c, SizeClause)}
    named = [name for clause in _of_type(directive) for name in _names(clause)]
    devices = [kind for name in named if (kind := _type(name)) is not None] if named else [_CURRENT]
    number = f"__accshare_number({given['device_num']})" if "device_num" in given else _NONE_GIVEN
    if directive.kind is not DirectiveKind.SET:
        yield from (_Call(directive.kind.name, device, number) for device in devices)
        return
    if named or "device_num" in given:
        yield from (_Call("SET_DEVICE", device, number) for device in devices[:1])
    if "default_async" in given:
        yield _Call("SET_ASYNC", _CURRENT, f"(int)({given['default_async']})")


def _of_type(directive: Directive) -> list[WordClause]:
    return [c for c in directive.clauses if isinstance(c, WordClause) and c.name == "device_type"]


def _names(clause: WordClause) -> list[str]:
    return [] if clause.text is None else [name.strip() for name in flat(clause.text.text).split(",")]


def _type(name: str) -> int | None:
    return _TYPES.get(name.lower().removeprefix("acc_device_"))
