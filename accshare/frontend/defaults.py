"""``default(none)``: every array of the construct has to be named by a clause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from accshare.diagnostics import Diagnostic
from accshare.frontend.attach import Stack
from accshare.frontend.effects import walk
from accshare.frontend.regions import Draft
from accshare.pragma.ir import DataClause, DefaultClause, Directive, DirectiveKind, PrivateClause, ReductionClause
from accshare.source import Span, shown

_NAME = re.compile(r"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


def unnamed(draft: Draft, stacks: Iterable[Stack]) -> Iterator[Diagnostic]:
    """ACC603 for every array or pointer that the construct uses and that no clause names: neither its own, nor those of
    loops inside, of ``data`` constructs around it or of ``declare``."""
    construct = draft.construct
    if not any(isinstance(c, DefaultClause) and c.value == "none" for c in construct.clauses):
        return
    around = (d for stack in stacks for d in stack.directives if _reaches(d, stack, draft))
    named = {name for directive in (construct, *around) for name in _names(directive)}
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


def _names(directive: Directive) -> Iterator[str]:
    """The variables of a directive's clauses; of ``s->x`` only ``s``."""
    for clause in directive.clauses:
        if isinstance(clause, DataClause | PrivateClause | ReductionClause):
            for var in clause.vars:
                yield from _NAME.findall(var.base.text)[:1]
