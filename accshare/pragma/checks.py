"""What holds between the clauses of one directive (OpenACC 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from accshare.diagnostics import rejected
from accshare.pragma.ir import Clause, DataClause, Directive, DirectiveKind, Movement
from accshare.pragma.rules import EXCLUSIVE, NEEDED, ROUTINE_LEVELS, SINGLE
from accshare.source import Span

#: a clause with its canonical name
Named = tuple[str, Clause]

_UPDATES = {Movement.UPDATE_HOST, Movement.UPDATE_DEVICE}
#: these tell what becomes of a pointer, beside what becomes of the data behind it
_BESIDE = {Movement.ATTACH, Movement.DETACH, Movement.USE_DEVICE}
_NO_SELECTION = {DirectiveKind.INIT, DirectiveKind.SHUTDOWN, DirectiveKind.SET}


def checked(kind: DirectiveKind, clauses: Sequence[Named], span: Span) -> Directive:
    """The directive of these clauses. What stands behind ``device_type(name)`` tunes one device only and is left out.

    Raises `Rejected` (ACC101) when it lacks what makes it say something, (ACC104) when clauses contradict.
    """
    names = {name for name, _ in clauses}
    needed = NEEDED.get(kind, ())
    if needed and not names.intersection(needed):
        listed = ", ".join(needed[:-1]) + " or " + needed[-1] if len(needed) > 1 else needed[0]
        raise rejected("ACC101", f"{kind.value} without {listed} does nothing", span, f"add {needed[0]}(…)")
    groups = [list(clauses)] if kind in _NO_SELECTION else _by_device(clauses)
    for group in groups:
        _consistent(kind, group)
    _one_movement_each([clause for _, clause in groups[0]])
    return Directive(kind, tuple(c for name, c in clauses if (name, c) in groups[0] or name == "device_type"), span)


def _by_device(clauses: Sequence[Named]) -> list[list[Named]]:
    """The clauses for every device, then those of each ``device_type`` that names devices."""
    groups: list[list[Named]] = [[]]
    current = groups[0]
    for name, clause in clauses:
        if name != "device_type":
            current.append((name, clause))
            continue
        text = getattr(clause, "text", None)
        current = groups[0] if text is not None and text.text == "*" else []
        if current is not groups[0]:
            groups.append(current)
    return groups


def _consistent(kind: DirectiveKind, clauses: Sequence[Named]) -> None:
    exclusive = (*EXCLUSIVE, ROUTINE_LEVELS) if kind is DirectiveKind.ROUTINE else EXCLUSIVE
    for k, (name, clause) in enumerate(clauses):
        before = [n for n, _ in clauses[:k]]
        if name in SINGLE and name in before and not isinstance(clause, DataClause):
            raise rejected("ACC104", f"{name} stands twice", clause.span, "keep one")
        for group in exclusive:
            other = next((n for n in before if n in group and n != name), None)
            if name in group and other is not None:
                raise rejected("ACC104", f"{name} contradicts {other}", clause.span, "keep one of them")


def _one_movement_each(clauses: Sequence[Clause]) -> None:
    moved: dict[str, Movement] = {}
    for clause in clauses:
        if not isinstance(clause, DataClause) or clause.movement in _UPDATES | _BESIDE:
            continue
        for var in clause.vars:
            name = "".join(var.base.text.split())
            first = moved.setdefault(name, clause.movement)
            if first is not clause.movement:
                what = f"{name} is in {first.value} and in {clause.movement.value}"
                raise rejected("ACC104", what, var.span, "name it once")
