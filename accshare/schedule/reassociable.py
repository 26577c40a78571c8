"""Innermost loops of a work-item that a CPU may run in vectors: their iterations need each other only to combine."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.poly.ir import LoopNode, Nest, Node, Scop, VariableKind
from accshare.schedule.ir import Unordered
from accshare.schedule.parallelism import judge


def unordered(
    scop: Scop, body: tuple[Node, ...], mapped: tuple[LoopNode, ...], reassociate: bool
) -> Iterator[Unordered]:
    """Those inside the `mapped` loops of a kernel's `body`. Nothing is taken on trust or made to hang on a guard."""
    for loop in _innermost(body) if mapped else ():
        if loop in mapped or loop.loop.step != 1:
            continue
        verdict = judge(scop, loop, reassociate, elements=True)
        if verdict.parallel and not verdict.guards and not verdict.trusted:
            yield Unordered(loop, verdict.reductions, verdict.private | _declared_inside(scop, loop))


def _innermost(body: tuple[Node, ...]) -> Iterator[LoopNode]:
    for node in body:
        if isinstance(node, Nest):
            inside = tuple(_innermost(node.body))
            yield from inside or (node.loop,)


def _declared_inside(scop: Scop, loop: LoopNode) -> frozenset[str]:
    """The scalars that every iteration declares anew."""
    used = {a.variable.name for s in scop.statements if loop in s.loops for a in s.accesses}
    return frozenset(
        v.name
        for v in scop.variables
        if v.kind is VariableKind.PRIVATE and not v.shape and v.scope > loop.depth and v.name in used
    )
