"""The order in which a work-item runs statements, as isl's schedule trees."""

from __future__ import annotations

from itertools import groupby

import islpy as isl

from accshare.frontend.ir import Symbol, Var
from accshare.kernel.generate.space import Coordinate, coordinate_of, tuple_text
from accshare.poly.ir import Leaf, LoopNode, Nest, Node, Statement
from accshare.schedule.ir import KernelNest
from accshare.tree import expressions


def inner_tree(nest: KernelNest) -> tuple[Node, ...]:
    """The tree inside the mapped loops, which are perfectly nested."""
    body = nest.body
    for _ in nest.mapped:
        first = body[0]
        assert isinstance(first, Nest)
        body = first.body
    return body


def leaves(tree: tuple[Node, ...]) -> tuple[Statement, ...]:
    """The statements of a tree, in order."""
    return tuple(s for n in tree for s in ((n.statement,) if isinstance(n, Leaf) else leaves(n.body)))


def straight(tree: tuple[Node, ...]) -> tuple[tuple[Statement, ...], ...]:
    """The runs of statements without a loop between them."""
    runs: list[tuple[Statement, ...]] = []
    for loops, nodes in groupby(tree, lambda node: isinstance(node, Nest)):
        if loops:
            runs += (run for node in nodes if isinstance(node, Nest) for run in straight(node.body))
        else:
            runs.append(leaves(tuple(nodes)))
    return tuple(runs)


def is_jammed(tree: tuple[Node, ...], coordinates: tuple[Coordinate, ...]) -> bool:
    """Whether a work-item runs its own iterations side by side, innermost, rather than one after the other.

    Then they share what they load and their operations are independent (SHARE 3.3.2). Not on a CPU, where consecutive
    iterations are what fills vectors, nor where a loop's bounds depend on the iteration.
    """
    several = {c.dimension.loop.iterator for c in coordinates if not c.single}
    return any(c.dimension.threads > 1 for c in coordinates) and not any(_bounded_by(node, several) for node in tree)


def _bounded_by(node: Node, iterators: set[Symbol]) -> bool:
    if isinstance(node, Leaf):
        return False
    loop = node.loop.loop
    used = {e.symbol for bound in (loop.first, loop.bound) for e in expressions(bound) if isinstance(e, Var)}
    return bool(used & iterators) or any(_bounded_by(inner, iterators) for inner in node.body)


def scheduled(domain: isl.UnionSet, tree: tuple[Node, ...], coordinates: tuple[Coordinate, ...]) -> isl.Schedule:
    """The order in which a work-item runs its instances of a tree."""
    node = isl.Schedule.from_domain(domain).get_root().child(0)
    own = tuple(sorted((c for c in coordinates if not c.single), key=lambda c: -c.dimension.axis))
    if is_jammed(tree, coordinates):
        return _insert(node, tree, own).get_schedule()
    if not own:
        return _insert(node, tree, ()).get_schedule()
    return _insert(_own_band(node, own, leaves(tree)).child(0), tree, ()).get_schedule()


def _own_band(
    node: isl.ScheduleNode, own: tuple[Coordinate, ...], statements: tuple[Statement, ...]
) -> isl.ScheduleNode:
    """The loops over a work-item's own iterations of the mapped dimensions, x innermost."""
    members = ", ".join(
        "{ " + "; ".join(f"{tuple_text(s)} -> [({_in_order(c)})]" for s in statements) + " }" for c in own
    )
    return node.insert_partial_schedule(isl.MultiUnionPwAff(f"[{members}]"))


def _in_order(coordinate: Coordinate) -> str:
    """The coordinate, counted the way the user's loop runs."""
    value = coordinate_of(coordinate.dimension)
    return value if coordinate.dimension.loop.loop.step > 0 else f"-{value}"


def _insert(node: isl.ScheduleNode, tree: tuple[Node, ...], own: tuple[Coordinate, ...]) -> isl.ScheduleNode:
    """Put the bands and sequences of `tree` at the leaf `node`, around each straight run of statements the loops over
    the iterations `own`; the result is the node in its place."""
    runs = [tuple(nodes) for _, nodes in groupby(tree, lambda n: n.loop if isinstance(n, Nest) else None)]
    if len(runs) > 1:
        node = _sequence(node, runs)
        for k, run in enumerate(runs):
            node = _insert(node.child(k).child(0), run, own).parent().parent()
        return node
    first = tree[0]
    if isinstance(first, Nest):
        return _insert(_band(node, first.loop, leaves(first.body)).child(0), first.body, own).parent()
    if own:
        return _insert(_own_band(node, own, leaves(tree)).child(0), tree, ()).parent()
    return _sequence(node, [(leaf,) for leaf in tree]) if len(tree) > 1 else node


def _band(node: isl.ScheduleNode, loop: LoopNode, statements: tuple[Statement, ...]) -> isl.ScheduleNode:
    sign = "" if loop.loop.step > 0 else "-"
    text = "; ".join(f"{tuple_text(s)} -> [({sign}i{loop.depth})]" for s in statements)
    return node.insert_partial_schedule(isl.MultiUnionPwAff(f"[{{ {text} }}]"))


def _sequence(node: isl.ScheduleNode, parts: list[tuple[Node, ...]]) -> isl.ScheduleNode:
    filters = isl.UnionSetList.alloc(isl.DEFAULT_CONTEXT, len(parts))
    for part in parts:
        filters = filters.add(isl.UnionSet(f"{{ {'; '.join(tuple_text(s) for s in leaves(part))} }}"))
    return node.insert_sequence(filters)
