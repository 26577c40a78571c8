"""Proof that the work-items of a group run every iteration of their tile once, and begin strips at places of their own
only where the order doesn't matter."""

from __future__ import annotations

from itertools import product

from accshare.carried import carried
from accshare.combining import combined
from accshare.diagnostics import Rejected, broken
from accshare.mapping.ir import NestPlacement
from accshare.poly.ir import Dependence, LoopNode
from accshare.schedule.ir import Schedule


def check_bijection(placement: NestPlacement, schedule: Schedule) -> None:
    """Raise `Rejected` (ACC902) where an iteration might be run twice or not at all, or out of its order."""
    dimensions = placement.partition.nest.grid
    spread = [d.axis for d in dimensions if d.threads > 1]  # others are known by their work-group
    apart = set(range(len(placement.partition.work_group)))
    if len(set(spread)) != len(spread) or not apart.issuperset(spread) or any(d.size % d.threads for d in dimensions):
        raise _broken(placement, "the work-items of a group don't share its tile evenly")
    if placement.remap is not None and not _is_bijection(placement.remap, placement.partition.work_group):
        raise _broken(placement, "two work-items of a group have one place")
    for loop in placement.rotated:
        own = {s.name for s in placement.partition.nest.statements if loop in s.loops}
        for dependence in schedule.scop.dependences:
            if {dependence.source.name, dependence.sink.name} <= own and not _may_turn(dependence, loop):
                name = dependence.source_access.variable.name
                raise _broken(placement, f"the iterations of {loop.iterator.name} have an order, by {name}")


def _is_bijection(remap: tuple[tuple[int, int], tuple[int, int]], work_group: tuple[int, int, int]) -> bool:
    width, depth, _ = work_group
    (a, b), (c, d) = remap
    places = {((a * x + b * y) % width, (c * x + d * y) % depth) for x, y in product(range(width), range(depth))}
    return len(places) == width * depth


def _may_turn(dependence: Dependence, loop: LoopNode) -> bool:
    """Whether a dependence stays inside of one iteration of a loop, or leads between statements that combine values
    with the same operator."""
    if carried(dependence.relation, loop.depth).is_empty():
        return True
    one = combined(dependence.source.body, dependence.source_access.reference)
    return one is not None and one is combined(dependence.sink.body, dependence.sink_access.reference)


def _broken(placement: NestPlacement, what: str) -> Rejected:
    nest = placement.partition.nest
    return broken(f"kernel {nest.name}: {what}", nest.span)
