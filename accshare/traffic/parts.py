"""The parts of a kernel that every work-item runs by itself, as code generation cuts them.

Loops down to a strip loop are run by the whole work-group; what is inside of it, or between such loops, is a part. For
tiles and strips in which every iteration exists a part has other code than for those that are cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import prod

import islpy as isl

from accshare.frontend.ir import Symbol, Var
from accshare.partition.ir import Dimension, NestPartition
from accshare.poly.ir import Leaf, LoopNode, Nest, Node, Statement
from accshare.tree import expressions


@dataclass(frozen=True, slots=True)
class Part:
    """A tree inside the loops `held` by the work-group, which come with the size of their strips."""

    tree: tuple[Node, ...]
    held: tuple[tuple[LoopNode, int], ...]


def inner(part: NestPartition) -> tuple[Node, ...]:
    """The tree inside the mapped loops."""
    body = part.nest.body
    for _ in part.nest.mapped:
        first = body[0]
        assert isinstance(first, Nest)
        body = first.body
    return body


def leaves(tree: tuple[Node, ...]) -> Iterator[Statement]:
    """The statements of a tree."""
    for node in tree:
        if isinstance(node, Leaf):
            yield node.statement
        else:
            yield from leaves(node.body)


def has_several(part: NestPartition) -> bool:
    """Whether work-items run several iterations each, side by side."""
    iterations = prod(d.tile // d.threads for d in part.dimensions)
    return iterations > 1 and any(d.threads > 1 for d in part.dimensions)


def is_together(part: NestPartition) -> bool:
    """Whether code is made for a whole work-group."""
    return bool(part.staged) or has_several(part)


def is_jammed(part: NestPartition, tree: tuple[Node, ...]) -> bool:
    """Whether the loops over a work-item's own iterations are innermost."""
    several = {d.loop.iterator for d in part.dimensions if d.tile > d.threads}
    return has_several(part) and not any(_is_bounded_by(node, several) for node in tree)


def _is_bounded_by(node: Node, iterators: set[Symbol]) -> bool:
    if isinstance(node, Leaf):
        return False
    loop = node.loop.loop
    used = {e.symbol for bound in (loop.first, loop.bound) for e in expressions(bound) if isinstance(e, Var)}
    return bool(used & iterators) or any(_is_bounded_by(inside, iterators) for inside in node.body)


def held_loops(part: NestPartition) -> dict[int, int]:
    """The loops that a work-group runs together, by `LoopNode.index`, with the size of their strips: those that are cut
    into strips, and at 1 those around them."""
    return {loop.index: size for own in parts(part) for loop, size in own.held}


def parts(part: NestPartition) -> tuple[Part, ...]:
    """All parts of a kernel, in order."""
    sizes = {strip.loop.index: strip.size for strip in part.strips} if is_together(part) else {}
    return tuple(_parts(inner(part), (), sizes))


def _parts(tree: tuple[Node, ...], held: tuple[tuple[LoopNode, int], ...], sizes: dict[int, int]) -> Iterator[Part]:
    def is_shared(node: Node) -> bool:
        return isinstance(node, Nest) and (node.loop.index in sizes or any(map(is_shared, node.body)))

    for shared, nodes in groupby(tree, is_shared):
        if not shared:
            yield Part(tuple(nodes), held)
            continue
        for node in nodes:
            assert isinstance(node, Nest)
            size = sizes.get(node.loop.index)
            inside = (*held, (node.loop, size or 1))
            yield from (Part((node,), inside),) if size else _parts(node.body, inside, sizes)


def number_of(dimension: Dimension) -> str:
    """The number of an iteration of a mapped loop, in isl's notation."""
    step, iterator = abs(dimension.loop.loop.step), f"i{dimension.loop.depth}"
    return iterator if step == 1 else f"floor({iterator}/{step})"


def full_tiles(part: NestPartition, own: Part) -> isl.Set | None:
    """Where every iteration exists of a work-item's tile and of the strips, so that it runs loops without tests.

    The dimensions are the host loops' iterators, the number of the work-item's first iteration along each mapped loop,
    and the first iteration of the strip of each held loop. None where there is no such code.
    """
    spans = [(number_of(d), d.tile - d.threads + 1) for d in part.dimensions]
    spans += [(f"i{loop.depth}", size) for loop, size in own.held]
    if all(length == 1 for _, length in spans):
        return None
    hosts = [f"h{k}" for k in range(len(part.nest.host_loops))]
    starts = [f"f{k}" for k in range(len(spans))]
    places = ", ".join(f"t{k}" for k in range(len(spans)))
    given = f"[{', '.join([*hosts, *starts])}]"
    inside = " and ".join(f"f{k} <= t{k} < f{k} + {length}" for k, (_, length) in enumerate(spans))
    box = isl.Map(f"{{ {given} -> [{places}] : {inside} }}")
    present = isl.Map(f"{{ {given} -> [{places}] : 1 = 0 }}")
    for statement in leaves(own.tree):
        iterators = f"[{', '.join(f'i{k}' for k in range(len(statement.loops)))}]"
        same = " and ".join(f"{host} = i{k}" for k, host in enumerate(hosts)) or "1 = 1"
        launched = isl.Map(f"{{ {given} -> {iterators} : {same} }}")
        launched = launched.intersect_range(statement.domain.reset_tuple_id())
        values = ", ".join(value for value, _ in spans)
        present = present.union(launched.apply_range(isl.Map(f"{{ {iterators} -> [{values}] }}")))
    full = box.subtract(present).domain().complement().coalesce()
    return None if full.is_empty() or full.n_basic_set() != 1 else full
