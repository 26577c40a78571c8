"""Data directives that name pointers to rows, and no rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accshare.diagnostics import Diagnostic
from accshare.frontend.attach import Stack
from accshare.frontend.clang import Node
from accshare.frontend.effects import walk
from accshare.pragma.ir import DataClause, DataVar, DirectiveKind, Movement
from accshare.source import shown

_KINDS = {DirectiveKind.DATA, DirectiveKind.ENTER_DATA}
_MOVES = {Movement.COPY, Movement.COPYIN, Movement.COPYOUT, Movement.CREATE}


def rowless(stacks: Sequence[Stack]) -> Iterator[Diagnostic]:
    """ACC605 for what holds pointers, where no directive of the file names what they lead to."""
    named = {name for stack in stacks for _, var in _moved(stack) if len(var.sections) > 1 for name in [var.base.text]}
    for stack in stacks:
        for kind, var in _moved(stack):
            name = var.base.text
            if (
                kind not in _KINDS
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
            if isinstance(clause, DataClause) and clause.movement in _MOVES:
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
