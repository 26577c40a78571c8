"""How many elements a work-item may copy into local memory at once."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from accshare.frontend.ir import IntLit, Scalar, Var
from accshare.islbuild import multiple, pairs, points, quotient, sizes
from accshare.mapping.staging.accesses import Group
from accshare.mapping.staging.loops import LoopFacts
from accshare.poly.ir import LoopNode, Variable
from accshare.schedule.ir import Kernel

#: bytes of the widest load of an OpenCL device that memory systems handle as one
_WIDEST = 16


def widest(
    nest: Kernel,
    group: Group,
    at: LoopNode | None,
    lengths: tuple[int, ...],
    sizes: Mapping[int, int],
    begins: Mapping[int, int],
    facts: Mapping[int, LoopFacts],
) -> int:
    """The elements of the widest load with which a tile of `lengths` can be filled, a power of two.

    A tile's rows must begin and end at multiples of it, and where one element of a vector exists all must: then one
    test serves them all. That the array itself is aligned, and its rows as long as a multiple, is tested where the
    kernel runs. Arrays that the kernel writes are loaded element by element, since a work-group shares
    their vectors with others.
    """
    element = group.variable.element
    if group.writes or not isinstance(element, Scalar) or element.name == "_Bool":
        return 1
    first = _first(group, at, sizes, begins, facts)
    width = _WIDEST // element.bytes
    while width > 1:
        aligned = first is not None and all(part % width == 0 for part in (*first, lengths[-1]))
        if aligned and _rows(group.variable) % width == 0 and _complete(nest, group, width):
            return width
        width //= 2
    return 1


def _first(
    group: Group,
    at: LoopNode | None,
    sizes: Mapping[int, int],
    begins: Mapping[int, int],
    facts: Mapping[int, LoopFacts],
) -> tuple[int, ...] | None:
    """Numbers of which a tile's first element along the last dimension is a sum of multiples; None where it is no such
    sum."""
    row = group.rows[-1]
    begun = sum(coefficient * begins.get(loop, 0) for loop, coefficient in row.loops)
    parts = [min(r.constants[-1] for r in group.references) + begun, *(c for _, c in row.parameters)]
    for loop, coefficient in row.loops:
        fact = facts.get(loop)
        if fact is None:
            parts.append(coefficient)
        elif fact.mapped or (at is not None and loop == at.index):
            if coefficient < 0 or fact.step != 1:
                return None
            parts.append(coefficient * sizes[loop])
        elif at is not None and fact.node.depth < at.depth:
            parts.append(coefficient)
        elif coefficient < 0 or fact.low is None:
            return None
        else:
            parts.append(coefficient * fact.low)
    return tuple(parts)


def _rows(variable: Variable) -> int:
    """The length of the array's rows as far as it is known now; 0, a multiple of everything, where it is not."""
    last = variable.shape[-1] if len(variable.shape) > 1 else None
    return last.value if isinstance(last, IntLit) else 0


def _complete(nest: Kernel, group: Group, width: int) -> bool:
    """Whether a launch that touches one element of a vector touches all of them, when rows are multiples of `width`."""
    hosts = len(nest.host)
    rank = len(group.rows)
    elements = pairs(hosts, rank).nothing
    for reference in group.references:
        iterations = reference.statement.tuples
        launch = iterations.to(iterations.coordinates[:hosts])
        relation = reference.access.relation.reset_tuple_id(isl.dim_type.out)
        elements = elements.union(launch.reverse().apply_range(relation))
    every = points(rank)
    *rows, last = every.coordinates
    vector = every.to([*rows, quotient(last, width)])
    vectors = elements.apply_range(vector).apply_range(vector.reverse())
    return bool(vectors.intersect_params(_aligned_rows(group.variable, width)).is_subset(elements))


def _aligned_rows(variable: Variable, width: int) -> isl.Set:
    last = variable.shape[-1] if len(variable.shape) > 1 else None
    if not isinstance(last, Var):
        return sizes().everything
    (length,) = sizes(last.symbol.unique).parameters
    return multiple(length, width)
