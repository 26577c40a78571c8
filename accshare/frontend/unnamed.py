"""What no clause names: arrays under ``default(none)``, the rows that pointers lead to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from accshare.diagnostics import Diagnostic
from accshare.frontend.attach import Stack
from accshare.frontend.clang import Node
from accshare.frontend.effects import walk
from accshare.frontend.regions import Draft
from accshare.pragma.ir import (
    DataClause,
    DataVar,
    DefaultClause,
    Directive,
    DirectiveKind,
    Movement,
    PrivateClause,
    ReductionClause,
)
from accshare.source import Span, shown

_NAME = re.compile(r"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


def unnamed(draft: Draft, stacks: Iterable[Stack]) -> Iterator[Diagnostic]:
    """ACC603 for every array or pointer that the construct uses and that no clause names: neither its own, nor those of
    loops inside, of ``data`` constructs around it or of ``declare``."""
    construct = draft.construct
    if not any(isinstance(c, DefaultClause) and c.value == "none" for c in construct.clauses):
        return
    around = (d for stack in stacks for d in stack.directives if _reaches(d, stack, draft))
    named = {name for directive in (construct, *around) for name in _named_by(directive)}
    first, end = draft.statement.start, draft.statement.end
    for use in walk(draft.statement):
        declared = use.referenced if use.kind == "DECL_REF_EXPR" else None
        if declared is None or declared.kind not in {"VAR_DECL", "PARM_DECL"} or first <= declared.start < end:
            continue
        name = declared.spelling
        if name not in named and (declared.type.is_pointer or declared.type.is_array):
            named.add(name)
            message = f"default(none), and no clause names {shown(name)}; it moves as without default(none)"
            yield Diagnostic("ACC603", message, Span(use.start, use.end), "say what of it moves, as in copy or present")


def _reaches(directive: Directive, stack: Stack, draft: Draft) -> bool:
    """Whether what a directive says of its variables holds in the construct."""
    if directive.kind is DirectiveKind.DECLARE:
        return True
    if stack.statement is None:
        return False
    inside = draft.statement.start <= stack.statement.start < draft.statement.end
    around = stack.statement.start <= draft.statement.start < stack.statement.end
    return (directive.kind is DirectiveKind.LOOP and inside) or (directive.kind is DirectiveKind.DATA and around)


def _named_by(directive: Directive) -> Iterator[str]:
    """The variables of a directive's clauses; of ``s->x`` only ``s``."""
    for clause in directive.clauses:
        if isinstance(clause, DataClause | PrivateClause | ReductionClause):
            for var in clause.vars:
                yield from _NAME.findall(var.base.text)[:1]


# --- rows ----------------------------------------------------------------------------------------------------------

_KEEPING = {DirectiveKind.DATA, DirectiveKind.ENTER_DATA}
_MOVING = {Movement.COPY, Movement.COPYIN, Movement.COPYOUT, Movement.CREATE}


def rowless(stacks: Sequence[Stack]) -> Iterator[Diagnostic]:
    """ACC605 for what holds pointers, where no directive of the file names what they lead to."""
    named = {name for stack in stacks for _, var in _moved(stack) if len(var.sections) > 1 for name in [var.base.text]}
    for stack in stacks:
        for kind, var in _moved(stack):
            name = var.base.text
            if (
                kind not in _KEEPING
                or len(var.sections) > 1
                or name in named
                or not _holds_pointers(stack.function, name)
            ):
                continue
            message = f"{shown(name)} holds pointers, which stay on the host, and no clause names what they lead to"
            yield Diagnostic("ACC605", message, var.span, f"name the rows, as in {shown(name)}[0:rows][0:length]")


def _moved(stack: Stack) -> Iterator[tuple[DirectiveKind, DataVar]]:
    for directive in stack.directives:
        for clause in directive.clauses:
            if isinstance(clause, DataClause) and clause.movement in _MOVING:
                yield from ((directive.kind, var) for var in clause.vars)


def _holds_pointers(function: Node | None, name: str) -> bool:
    """Whether the function's variable of that name is a pointer to pointers, or an array of them."""
    for part in () if function is None else walk(function):
        declared = part.referenced if part.kind == "DECL_REF_EXPR" else part
        if declared is not None and declared.spelling == name and declared.kind in {"PARM_DECL", "VAR_DECL"}:
            type_ = declared.type
            inner = type_.pointee if type_.is_pointer else type_.element if type_.is_array else type_
            return inner is not type_ and inner.is_pointer
    return False
