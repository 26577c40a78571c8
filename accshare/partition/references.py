"""The accesses that warps make to global memory where a kernel's statements stand.

Work-items of a warp run in step. They are in the same iteration of a sequential loop when they have run as many of it;
as long as it begins with the same value for all of them, that is when their iterators are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import islpy as isl

from accshare.device import Device
from accshare.partition.ir import NestPartition
from accshare.partition.lattice import Form
from accshare.partition.layout import address, fixed_map, fixed_set, linear
from accshare.partition.uses import Use, held_loops, leaves
from accshare.partition.warps import Batch, Cost, cost
from accshare.poly.ir import LoopNode, Nest, Node

_SET, _IN, _OUT, _DIV = isl.dim_type.set, isl.dim_type.in_, isl.dim_type.out, isl.dim_type.div

#: the lanes' coordinates along z, y and x
_INNER = ("l2", "l1", "l0")


@dataclass(frozen=True, slots=True)
class _Lanes:
    """How the work-items that run side by side lie along the grid's axes: `widths` of them along x, y, z, which are
    parts of a group that begin at multiples of them, in warps of `warp`."""

    widths: tuple[int, int, int]
    warp: int


def reference_cost(part: NestPartition, use: Use, device: Device, values: Mapping[str, int]) -> tuple[Cost, bool]:
    """What a use costs in all launches of a kernel, and whether that is exact."""
    places = fixed_map(use.places, values)
    if places.is_empty():
        return Cost(0, 0), use.exact
    lanes = _lanes(part, device)
    shifted, in_step = _in_step(part, use, places, lanes, values)
    form, size = address(use.access, values)
    if not shifted.is_single_valued():
        elements = cost(_batch(part, use, shifted, lanes, form, size), 1).elements
        return Cost(elements, elements), False
    exact = use.exact and in_step and _runs_alike(part, lanes)
    return cost(_batch(part, use, shifted, lanes, form, size), device.transaction_bytes), exact


def _lanes(part: NestPartition, device: Device) -> _Lanes:
    x, y, z = part.work_group
    warp = min(device.simd_width, x * y * z)
    return _Lanes((warp, 1, 1) if x % warp == 0 else (x, y, z), warp)


def _runs_alike(part: NestPartition, lanes: _Lanes) -> bool:
    """Whether all work-items of a warp are in full tiles or none; full and partial ones have loops of their own."""
    several = {d.axis for d in part.dimensions if d.tile > d.threads}
    return not several or lanes.widths == (1, 1, 1) or (0 not in several and lanes.widths[1:] == (1, 1))


def _batch(part: NestPartition, use: Use, places: isl.Map, lanes: _Lanes, form: Form, size: int) -> Batch:
    """The instances of a use by the moment at which a warp or work-group runs them, and the work-item that does."""
    spread = _spread(part, use, lanes)
    outer = len(spread.names) - len(_INNER)
    x, y, _ = lanes.widths

    def warp(lane: tuple[int, ...]) -> int:
        return ((lane[0] * y + lane[1]) * x + lane[2]) // lanes.warp

    forms = linear(places)
    if forms is None and places.is_single_valued():
        elements = spread.relation.apply_range(places).wrap().flatten()
        weights = (*(0 for _ in spread.names), *form.coefficients)
        return Batch(elements, outer, Form(weights, form.constant), size, warp, False)
    accesses = spread.relation.intersect_range(places.domain()).domain()
    place = Form((0,) * len(spread.names), form.constant)
    for weight, row in zip(form.coefficients, forms or (), strict=forms is not None):
        place = place.plus(weight, spread.composed(row))
    return Batch(accesses, outer, place, size, warp, True)


@dataclass(frozen=True, slots=True)
class _Spread:
    """Iterators in terms of moments and lanes: `terms` has the coefficients of `names` for each, `relation` the same as
    a map."""

    names: tuple[str, ...]
    terms: tuple[dict[str, int], ...]
    relation: isl.Map

    def composed(self, row: Form) -> Form:
        """A form over the iterators as one over `names`."""
        totals = dict.fromkeys(self.names, 0)
        for weight, term in zip(row.coefficients, self.terms, strict=True):
            for name, factor in term.items():
                totals[name] += weight * factor
        return Form(tuple(totals.values()), row.constant)


def _spread(part: NestPartition, use: Use, lanes: _Lanes) -> _Spread:
    axes = {d.loop.index: d.axis for d in part.dimensions}
    outer: list[str] = []
    terms: list[dict[str, int]] = []
    where = [f"0 <= l{axis} < {width}" for axis, width in enumerate(lanes.widths)]
    for k, loop in enumerate(use.loops):
        outer.append(f"o{k}")
        axis = axes.get(loop.index)
        if axis is None:
            terms.append({f"o{k}": 1})
            continue
        step, width = abs(loop.loop.step), lanes.widths[axis]
        terms.append({f"o{k}": step * width, f"l{axis}": step})
        if step > 1:  # tiles begin at multiples of the step, iterations perhaps a little later
            outer.append(f"r{k}")
            where.append(f"0 <= r{k} < {step}")
            terms[-1][f"r{k}"] = 1
    names = (*outer, *_INNER)
    values = (" + ".join(f"{factor} {name}" for name, factor in term.items()) for term in terms)
    return _Spread(
        names, tuple(terms), isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(values)}] : {' and '.join(where)} }}")
    )


def _in_step(
    part: NestPartition, use: Use, places: isl.Map, lanes: _Lanes, values: Mapping[str, int]
) -> tuple[isl.Map, bool]:
    """`places` with every sequential loop counted from where each work-item begins it, and whether that is exact."""
    axes = {d.loop.index: d.axis for d in part.dimensions}
    across = [k for k, loop in enumerate(use.loops) if lanes.widths[axes.get(loop.index, 2)] > 1 and loop.index in axes]
    held = held_loops(part)
    dims = [f"i{k}" for k in range(len(use.loops))]
    counted, exact = list(dims), True
    for k in range(len(part.nest.host_loops) + len(part.nest.mapped), len(use.loops) - (use.strip > 0)):
        if not across or held.get(use.loops[k].index) == 1:
            continue
        first, last = _ends(part, use.loops[k], values)
        if use.loops[k].index in held:
            exact = exact and _uniform(first, across) and _uniform(last, across)
        elif not _uniform(first, across):
            forms = linear(first)
            exact = exact and forms is not None
            if forms is not None:
                counted[k] = f"{dims[k]} - {forms[0].text(dims[:k])}"
    shift = isl.Map(f"{{ [{', '.join(dims)}] -> [{', '.join(counted)}] }}")
    return places.apply_domain(shift), exact


def _ends(part: NestPartition, loop: LoopNode, values: Mapping[str, int]) -> tuple[isl.Map, isl.Map]:
    """The values that a loop begins and ends with, by the iterators around it."""
    node = next(n for n in _nests(part.nest.body) if n.loop.index == loop.index)
    depth = loop.depth
    found: isl.Set | None = None
    for statement in leaves(node.body):
        domain = fixed_set(statement.domain.reset_tuple_id(), values)
        domain = domain.project_out(_SET, depth + 1, domain.dim(_SET) - depth - 1)
        found = domain if found is None else found.union(domain)
    assert found is not None, "a loop has statements"
    iterations = isl.Map.from_range(found).move_dims(_IN, 0, _OUT, 0, depth)
    ends = (iterations.lexmin(), iterations.lexmax())
    return ends if loop.loop.step > 0 else ends[::-1]


def _uniform(first: isl.Map, across: list[int]) -> bool:
    """Whether it does not depend on the iterators that differ between the work-items of a warp."""
    for k in sorted(across, reverse=True):
        first = first.project_out(_IN, k, 1)
    return bool(first.is_single_valued())


def _nests(tree: tuple[Node, ...]) -> Iterator[Nest]:
    for node in tree:
        if isinstance(node, Nest):
            yield node
            yield from _nests(node.body)
