"""What holds between the clauses of one directive (OpenACC 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from accshare.diagnostics import rejected
from accshare.pragma.ir import (
    Clause,
    DataClause,
    Directive,
    DirectiveKind,
    Movement,
    PrivateClause,
    ReductionClause,
    WordClause,
)
from accshare.pragma.parse import BLANKS
from accshare.pragma.rules import EXCLUSIVE, NEEDED, ROUTINE_LEVELS, SINGLE
from accshare.records import replace
from accshare.source import Span

#: a clause with its canonical name
Named = tuple[str, Clause]

_COMPACT = str.maketrans("", "", BLANKS)
_UPDATES = {Movement.UPDATE_HOST, Movement.UPDATE_DEVICE}
#: these tell what becomes of a pointer, beside what becomes of the data behind it
_BESIDE = {Movement.ATTACH, Movement.DETACH, Movement.USE_DEVICE}
#: together on one variable: new memory that is copied out
_JOINED = {Movement.CREATE, Movement.COPYOUT}
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
    everywhere, *others = [list(clauses)] if kind in _NO_SELECTION else _by_device(clauses)
    for group in (everywhere, *others):
        _consistent(kind, group)
    _one_movement_each([clause for _, clause in everywhere])
    _one_owner_each(kind, [clause for _, clause in everywhere])
    ids = {id(clause) for _, clause in everywhere}
    kept = (c for name, c in clauses if id(c) in ids or name == "device_type")
    return Directive(kind, _joined(tuple(kept)), span)


def _joined(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """`clauses` with ``create(zero: b) copyout(b)`` as the ``copyout(zero: b)`` that it means."""
    created = {
        var.base.text.translate(_COMPACT): c.modifiers
        for c in clauses
        if isinstance(c, DataClause) and c.movement is Movement.CREATE
        for var in c.vars
    }
    out = {
        var.base.text.translate(_COMPACT)
        for c in clauses
        if isinstance(c, DataClause) and c.movement is Movement.COPYOUT
        for var in c.vars
    }
    if not created.keys() & out:
        return clauses
    result: list[Clause] = []
    for clause in clauses:
        if not isinstance(clause, DataClause) or clause.movement not in _JOINED:
            result.append(clause)
            continue
        for var in clause.vars:
            name = var.base.text.translate(_COMPACT)
            more = created.get(name, ()) if clause.movement is Movement.COPYOUT else ()
            if clause.movement is Movement.COPYOUT or name not in out:
                result.append(replace(clause, modifiers=(*clause.modifiers, *more), vars=(var,)))
    return tuple(result)


def _by_device(clauses: Sequence[Named]) -> list[list[Named]]:
    """The clauses for every device, then those of each ``device_type`` that names devices. What stands behind
    ``device_type(*)`` is for every device too, in place of the clauses of its names that stand before."""
    default: list[Named] = []
    rest: list[Named] = []
    named: list[list[Named]] = []
    current = default
    for name, clause in clauses:
        if name != "device_type":
            current.append((name, clause))
        elif isinstance(clause, WordClause) and clause.text is not None and clause.text.text == "*":
            current = rest
        else:
            current = []
            named.append(current)
    replaced = {name for name, _ in rest}
    return [[*(item for item in default if item[0] not in replaced), *rest], *named]


def _consistent(kind: DirectiveKind, clauses: Sequence[Named]) -> None:
    exclusive = (*EXCLUSIVE, ROUTINE_LEVELS) if kind is DirectiveKind.ROUTINE else EXCLUSIVE
    before: dict[str, None] = {}
    for name, clause in clauses:
        if name in SINGLE and name in before and not isinstance(clause, DataClause):
            raise rejected("ACC104", f"{name} stands twice", clause.span, "keep one")
        for group in exclusive:
            other = next((n for n in before if n in group and n != name), None)
            if name in group and other is not None:
                raise rejected("ACC104", f"{name} contradicts {other}", clause.span, "keep one of them")
        before[name] = None


def _one_movement_each(clauses: Sequence[Clause]) -> None:
    moved: dict[str, Movement] = {}
    for clause in clauses:
        if not isinstance(clause, DataClause) or clause.movement in _UPDATES | _BESIDE:
            continue
        for var in clause.vars:
            name = var.base.text.translate(_COMPACT)
            first = moved.setdefault(name, clause.movement)
            if first is not clause.movement and {first, clause.movement} != _JOINED:
                what = f"{name} is in {first.value} and in {clause.movement.value}"
                raise rejected("ACC104", what, var.span, "name it once")


def _one_owner_each(kind: DirectiveKind, clauses: Sequence[Clause]) -> None:
    """A variable is private, or reduced by one clause. On a combined construct ``firstprivate`` is for the region and
    the others for its loop, so they may meet there."""
    owners: dict[str, Clause] = {}
    for clause in clauses:
        if not isinstance(clause, ReductionClause | PrivateClause) or (
            kind.is_combined and _owner(clause) == "firstprivate"
        ):
            continue
        for var in clause.vars:
            name = var.base.text.translate(_COMPACT)
            first = owners.setdefault(name, clause)
            if first is not clause and (isinstance(clause, ReductionClause) or _owner(first) != _owner(clause)):
                what = f"{name} is in {_owner(first)} and in {_owner(clause)}"
                raise rejected("ACC104", what, var.span, "name it once")


def _owner(clause: Clause) -> str:
    """The clause's name, and for a reduction its operator."""
    if isinstance(clause, ReductionClause):
        return f"reduction({clause.op.value})"
    return "firstprivate" if isinstance(clause, PrivateClause) and clause.first else "private"
