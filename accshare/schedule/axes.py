"""Which parallel loop runs along which axis of the grid."""

from __future__ import annotations

import islpy as isl

from accshare.islbuild import point, points
from accshare.poly.ir import Access, LoopNode, Statement, VariableKind
from accshare.schedule.ir import Member, Role


def assign_axes(chain: tuple[LoopNode, ...], statements: tuple[Statement, ...]) -> tuple[Member, ...]:
    """Give x to the loop along which most accesses have unit stride, the innermost one where that is equal, and y and z
    to the others from the inside out: neighbouring work-items then touch neighbouring elements."""
    strides = {node.index: unit_strides(node, statements) for node in chain}
    best = max(chain, key=lambda node: (strides[node.index], node.depth))
    others = [node for node in reversed(chain) if node is not best]
    axis = {best.index: 0, **{node.index: k + 1 for k, node in enumerate(others)}}
    return tuple(Member(node, Role.GRID, axis[node.index]) for node in chain)


def unit_strides(node: LoopNode, statements: tuple[Statement, ...]) -> int:
    """How many accesses move to the next element when the loop's iterator grows by one."""
    return sum(
        has_unit_stride(access, node.depth)
        for statement in statements
        for access in statement.accesses
        if access.variable.kind is VariableKind.MEMORY and access.subscripts
    )


def has_unit_stride(access: Access, depth: int) -> bool:
    """Whether one step of the iterator at `depth` moves one element on in the last subscript and none in the others."""
    relation = access.relation
    outputs = relation.dim(isl.dim_type.out)
    if outputs == 0 or not access.exact or _certainly_moves_otherwise(relation, depth):
        return False
    name = relation.get_tuple_name(isl.dim_type.in_)
    every = points(relation.dim(isl.dim_type.in_), name)
    step = every.to([iterator + (k == depth) for k, iterator in enumerate(every.coordinates)], name)
    delta = relation.reverse().apply_range(step).apply_range(relation).deltas()
    wanted = point((*[0] * (outputs - 1), 1), access.space)
    return not delta.is_empty() and bool(delta.is_subset(wanted))


def _certainly_moves_otherwise(relation: isl.Map, depth: int) -> bool:
    """Whether that shows in the subscripts' formulas, as it mostly does."""
    if not relation.is_single_valued():
        return False
    function = relation.as_pw_multi_aff()
    outputs = relation.dim(isl.dim_type.out)
    for k in range(outputs if function.n_piece() == 1 else 0):
        ((_, value),) = function.get_pw_aff(k).get_pieces()
        if value.dim(isl.dim_type.div):
            return False
        if value.get_coefficient_val(isl.dim_type.in_, depth).to_python() != (k == outputs - 1):
            return True
    return False
