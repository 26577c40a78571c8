"""The loops inside of a region that stays on the host, as compute constructs of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accshare.frontend.attach import Stack
from accshare.frontend.clang import Node
from accshare.frontend.effects import mentioned
from accshare.frontend.regions import Draft
from accshare.pragma.ir import Clause, Directive, DirectiveKind, IfClause, ReductionClause
from accshare.records import replace
from accshare.source import Span

_LOOPS = frozenset({"FOR_STMT", "WHILE_STMT", "DO_STMT"})
#: loops in one another that are worth asking the runtime each time that a loop around them comes to them
_DEEP = 2


def within(draft: Draft, name: str, stacks: Sequence[Stack]) -> Iterator[Draft]:
    """The outermost loops inside of a construct's statement, and bodies of loops that are more than one of these; what
    a loop is around has loops inside. `name` is that of the construct's region, `stacks` are all of the program.

    Nothing where the program chooses when the construct runs on a device.
    """
    if any(isinstance(clause, IfClause) for clause in draft.construct.clauses):
        return
    said = draft.said or draft.construct.clauses
    for path in _inside(draft.path, looped=any(node.kind in _LOOPS for node in draft.path[-2:])):
        start, end = path[-1].start, path[-1].end
        own = next((s for s in stacks if s.statement is not None and s.path[-1].start == start), None)
        outer = Stack((), draft.function, path) if own is None else own
        inner = tuple(s for s in draft.inner if start < s.directives[0].span.start < end)
        construct = _construct(said if own is None and path[-1].kind == "FOR_STMT" else (), path[-1])
        yield Draft(construct, outer, inner, draft.function, path, draft.around or name, said)


def _inside(path: tuple[Node, ...], looped: bool) -> Iterator[tuple[Node, ...]]:
    around = path[-1]
    for child in around.children:
        way, loops = (*path, child), child.kind == "FOR_STMT"
        if not child.is_statement or (looped and _depth(child) < _DEEP):
            continue
        body = child.kind == "COMPOUND_STMT" and around.kind in _LOOPS and len(child.children) > 1
        if loops or (body and looped):
            yield way
        else:
            yield from _inside(way, looped or child.kind in _LOOPS)


def _depth(node: Node) -> int:
    """How many ``for`` stand one in the other, at most."""
    return (node.kind == "FOR_STMT") + max((_depth(c) for c in node.children if c.is_statement), default=0)


def _construct(said: tuple[Clause, ...], node: Node) -> Directive:
    """``kernels``, with what is `said` of numbers that a loop combines."""
    names = {name for _, name in mentioned(node)}
    kept = ((c, tuple(v for v in c.vars if v.base.text in names)) for c in said if isinstance(c, ReductionClause))
    clauses = tuple(replace(clause, vars=variables) for clause, variables in kept if variables)
    kind = DirectiveKind.KERNELS_LOOP if clauses else DirectiveKind.KERNELS
    return Directive(kind, clauses, Span(node.start, node.start + 1))
