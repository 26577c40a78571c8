"""What data directives before a region, in its function, say of the region's variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.frontend.attach import Stack
from accshare.frontend.clang import Node
from accshare.frontend.scope import in_view, used
from accshare.pragma.ir import DataClause, DataVar, DirectiveKind


def around(function: Node, statement: Node, stacks: Iterable[Stack]) -> tuple[DataVar, ...]:
    """The variables of ``data`` constructs around a statement and of ``enter data`` before it, nearest first, as far as
    all names they are written with mean the same at the statement."""
    here = in_view(function, statement.start)
    found: list[DataVar] = []
    for stack in stacks:
        opened = tuple(_opened(stack, function, statement))
        there = in_view(function, stack.directives[0].span.start) if opened else {}
        for var in opened:
            if all(there.get(name) == here.get(name) for name in used(var)):
                found.append(var)
    return tuple(reversed(found))


def _opened(stack: Stack, function: Node, statement: Node) -> Iterator[DataVar]:
    """What a stack's directives make present for the statement."""
    if not function.start <= stack.directives[0].span.start < statement.start:
        return
    for directive in stack.directives:
        construct = stack.statement if directive.kind is DirectiveKind.DATA else None
        encloses = construct is not None and construct.start <= statement.start < construct.end
        if encloses or directive.kind is DirectiveKind.ENTER_DATA:
            for clause in directive.clauses:
                if isinstance(clause, DataClause):
                    yield from clause.vars
