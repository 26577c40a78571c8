"""The accesses that warps make to global memory where a kernel's statements stand.

Work-items of a warp run in step. They are in the same iteration of a sequential loop when they have run as many of it;
as long as it begins with the same value for all of them, that is when their iterators are equal. Where they share a
loop, those at work at a time have consecutive iterations, from the first one on, as far as a warp goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import islpy as isl

from accshare.device import Device
from accshare.islbuild import lexmax, lexmin, points
from accshare.mapping.ir import NestPartition, PhaseAt
from accshare.poly.ir import LoopNode, Statement
from accshare.records import replace
from accshare.schedule.ir import is_ragged
from accshare.traffic.full import full_tiles, uniform_loops
from accshare.traffic.lattice import Form
from accshare.traffic.layout import address, fixed_map, fixed_set, linear
from accshare.traffic.spread import Matrix, SideBySide, Spread, side_by_side, spread
from accshare.traffic.uses import Use
from accshare.traffic.warps import Batch, Cost, cost

_SET, _IN, _OUT, _DIV = isl.dim_type.set, isl.dim_type.in_, isl.dim_type.out, isl.dim_type.div


def reference_cost(
    part: NestPartition, use: Use, device: Device, values: Mapping[str, int], remap: Matrix | None = None
) -> tuple[Cost, bool]:
    """What a use costs in all launches of a kernel, and whether that is exact."""
    places = fixed_map(use.places, values)
    if places.is_empty():
        return Cost(0, 0), use.exact
    lanes = side_by_side(part, device, remap)
    shifted, in_step = _in_step(part, use, places, lanes, values)
    form, size = address(use.access, values)
    if not shifted.is_single_valued():
        elements = cost(_batch(spread(part, use, lanes, None), shifted, lanes, form, size), 1).elements
        return Cost(elements, elements), False
    branching, alike = _branching(part, use, lanes)
    whole = spread(part, use, lanes, branching)
    costs = [
        cost(_batch(branch, shifted, lanes, form, size), device.transaction_bytes)
        for branch in _branches(part, whole, branching, values)
    ]
    spent = Cost(sum(c.elements for c in costs), sum(c.transactions for c in costs))
    return spent, use.exact and in_step and alike


def _branching(part: NestPartition, use: Use, lanes: SideBySide) -> tuple[PhaseAt | None, bool]:
    """The part that a use stands in, where some work-items of a warp may run its code for full tiles and wait for
    others; and whether all of them else run the same code at the same time."""
    own = next((p for p in part.phases if use.statement in {s.name for s in p.statements}), None)
    if own is None or lanes.widths == (1, 1, 1):
        return None, True
    alike = not any(_is_guarded(part, s) for s in own.statements)
    across = [d for d in part.nest.grid if not d.single and lanes.widths[d.dimension] > 1]
    if not across:
        # which of its own iterations exist may be another matter for each work-item of a warp
        several = any(not d.single for d in part.nest.grid)
        return None, alike and not (several and is_ragged(part.nest.grid))
    return own, alike and own.phase.jammed and all(d.loop.loop.step == 1 for d in across)


def _is_guarded(part: NestPartition, statement: Statement) -> bool:
    """Whether a condition keeps a statement from some iterations of its loop, but not from all that the work-items of a
    row share: isl then makes branches as it likes."""
    there = statement.domain.reset_tuple_id()
    every = statement.loops[-1].domain.reset_tuple_id() if statement.loops else there
    if part.nest.threads:
        depth = next((m.loop.depth for m in part.nest.threads if m.loop in statement.loops), len(statement.loops))
        rows = there.project_out(_SET, depth, there.dim(_SET) - depth)
        every = every.intersect(rows.add_dims(_SET, there.dim(_SET) - depth))
    return not every.is_subset(there)


def _branches(
    part: NestPartition, whole: Spread, branching: PhaseAt | None, values: Mapping[str, int]
) -> Iterator[Spread]:
    """What a warp runs at a time."""
    full = None if branching is None else full_tiles(part, branching)
    if full is None or whole.origins is None:
        yield whole
        return
    moments = whole.origins.intersect_range(fixed_set(full, values)).domain()
    yield replace(whole, relation=whole.relation.intersect_domain(moments))
    yield replace(whole, relation=whole.relation.subtract_domain(moments))


def _batch(spread_: Spread, places: isl.Map, lanes: SideBySide, form: Form, size: int) -> Batch:
    """The instances of a use by the moment at which a warp or work-group runs them, and the work-item that does."""

    def warp(place: tuple[int, ...]) -> int:
        return lanes.warps[place[2], place[1], place[0]]

    forms = linear(places)
    if forms is None and places.is_single_valued():
        elements = spread_.relation.apply_range(places).wrap().flatten()
        weights = (*(0 for _ in spread_.names), *form.coefficients)
        return Batch(elements, spread_.outer, Form(weights, form.constant), size, warp, False)
    accesses = spread_.relation.intersect_range(places.domain()).domain()
    place = Form((0,) * len(spread_.names), form.constant)
    for weight, row in zip(form.coefficients, forms or (), strict=forms is not None):
        place = place.plus(weight, spread_.composed(row))
    return Batch(accesses, spread_.outer, place, size, warp, True)


def _in_step(
    part: NestPartition, use: Use, places: isl.Map, lanes: SideBySide, values: Mapping[str, int]
) -> tuple[isl.Map, bool]:
    """`places` with every sequential loop counted from where each work-item begins it, and whether that is exact."""
    wide = {d.loop.index for d in part.nest.grid if lanes.widths[d.axis : d.axis + 1] > (1,)}
    shared = {m.loop.index: m.threads for m in part.nest.threads}
    across = [k for k, loop in enumerate(use.loops) if loop.index in wide or loop.index in shared]
    held = uniform_loops(part)
    every = points(len(use.loops))
    dims = every.coordinates
    counted, exact = list(dims), True
    for k in range(part.nest.depth, len(use.loops) - (use.strip > 0)):
        if not across or held.get(use.loops[k].index) == 1:
            continue
        first, last = _ends(part, use.loops[k], values)
        if use.loops[k].index in held:
            exact = exact and _uniform(first, across) and _uniform(last, across)
        elif use.loops[k].index in shared or not _uniform(first, across):
            forms = linear(first)
            # several warps have iterations by their numbers, and begin wherever the loop does
            exact = exact and forms is not None and shared.get(use.loops[k].index, 0) <= lanes.widths[0]
            if forms is not None:
                counted[k] = dims[k] - forms[0].at(dims[:k], every.function(0))
    return places.apply_domain(every.to(counted)), exact


def _ends(part: NestPartition, loop: LoopNode, values: Mapping[str, int]) -> tuple[isl.Map, isl.Map]:
    """The values that a loop begins and ends with, by the iterators around it."""
    depth = loop.depth
    found: isl.Set | None = None
    for statement in (s for s in part.nest.statements if loop in s.loops):
        domain = fixed_set(statement.domain.reset_tuple_id(), values)
        domain = domain.project_out(_SET, depth + 1, domain.dim(_SET) - depth - 1)
        found = domain if found is None else found.union(domain)
    assert found is not None, "a loop has statements"
    iterations = isl.Map.from_range(found).move_dims(_IN, 0, _OUT, 0, depth)
    ends = (lexmin(iterations), lexmax(iterations))
    return ends if loop.loop.step > 0 else ends[::-1]


def _uniform(first: isl.Map, across: list[int]) -> bool:
    """Whether it does not depend on the iterators that differ between the work-items of a warp."""
    for k in sorted((k for k in across if k < first.dim(_IN)), reverse=True):
        first = first.project_out(_IN, k, 1)
    return bool(first.is_single_valued())
