"""Loops that count down, ``for (i = n - 1; i >= 0; i--)``, though none of their iterations needs another one's results:
they count up, as vectors lie in memory, and as their neighbours do."""

from __future__ import annotations

import islpy as isl

from accshare.frontend.ir import Scalar
from accshare.islexpr import binary, literal
from accshare.order.facts import is_parallel
from accshare.order.ir import Step, Word
from accshare.order.moved import moved
from accshare.poly.ir import LoopNode, Scop, Statement
from accshare.records import replace
from accshare.source import Span

_NOWHERE = Span(0, 0)


def upwards(scop: Scop) -> tuple[Scop, tuple[Step, ...]]:
    """The region with such loops the other way round, and what is said of each."""
    down = dict.fromkeys(node for s in scop.statements for node in s.loops if node.loop.step == -1)
    loops = tuple(node for node in down if scop.promises(node) or is_parallel(scop, node))
    if not loops:
        return scop, ()
    around = ((node, tuple(s for s in scop.statements if node in s.loops)) for node in loops)
    return turned_around(scop, loops), tuple(Step(Word.REVERSED, (node,), (part,)) for node, part in around)


def turned_around(scop: Scop, loops: tuple[LoopNode, ...]) -> Scop:
    """The region with loops that count down by one counting up, whether that is legal or not."""
    made = {node.index: _turned(node) for node in loops}

    def inside(statement: Statement) -> tuple[LoopNode, ...]:
        return tuple(made.get(node.index, node) for node in statement.loops)

    nest = tuple(s for s in scop.statements if any(node.index in made for node in s.loops))
    return moved(scop, nest, _identity, inside, lambda _: None)[0]


def _identity(instances: isl.Set) -> isl.Map:
    return isl.Map.identity(instances.get_space().map_from_set())


def _turned(node: LoopNode) -> LoopNode:
    """A loop in steps of -1 with the same iterations the other way round."""
    old, type_ = node.loop, node.iterator.type
    assert isinstance(type_, Scalar)
    last = old.bound if old.relation == ">=" else binary("+", old.bound, literal(1, type_), type_)
    return replace(node, loop=replace(old, first=last, relation="<=", bound=old.first, step=1, span=_NOWHERE))
