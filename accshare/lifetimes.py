"""How long a value is needed: whether a scalar's lives within one iteration of a loop, and whether it outlives the
region."""

from __future__ import annotations

import islpy as isl

from accshare.carried import together
from accshare.dataflow import Flow
from accshare.islbuild import all_maps, all_sets
from accshare.poly.ir import LoopNode, Scop, Variable, VariableKind
from accshare.pragma.ir import DirectiveKind


def can_be_private(scop: Scop, flow: Flow, scalar: Variable, node: LoopNode) -> bool:
    """Whether every value read of `scalar` was written in the same iteration of the loop, and none is needed later;
    `flow` is the scalar's."""
    if scalar.kind is VariableKind.OUTER and is_live(scop, scalar):
        return False
    inside = all_sets(s.domain for s in scop.statements if node in s.loops)
    context = scop.context
    if not flow.unwritten(context).intersect_domain(inside).is_empty():
        return False
    crossing = flow.compute(context)
    touching = crossing.intersect_domain(inside).union(crossing.intersect_range(inside))
    maps: list[isl.Map] = []
    touching.foreach_map(maps.append)
    names = {s.name for s in scop.statements if node in s.loops}

    def inside_it(relation: isl.Map) -> bool:
        ends = (isl.dim_type.in_, isl.dim_type.out)
        return {relation.get_tuple_name(end) for end in ends} <= names

    within = all_maps(together(relation, node.depth + 1) for relation in maps if inside_it(relation))
    return touching.is_subset(within)


def is_live(scop: Scop, scalar: Variable) -> bool:
    """Whether the value after the region matters: never in ``parallel``, where scalars are firstprivate."""
    kind = scop.region.construct.kind
    if kind in (DirectiveKind.PARALLEL, DirectiveKind.PARALLEL_LOOP):
        return False
    return scalar.name in scop.region.live_after
