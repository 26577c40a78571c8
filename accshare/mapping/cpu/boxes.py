"""Stencils of boxes on a CPU: two planes side by side, or single rows, instead of several rows of a plane.

Processors fetch ahead along rows, of a few at a time. Those of a box are short, and rows of one plane that run side by
side soon come to other ones: the streams break up. Two planes share as much, and go along theirs to the end.
"""

from __future__ import annotations

from accshare.device import Device
from accshare.frontend.ir import Expr, Symbol
from accshare.mapping.cpu.register_tile import WAYS, half_a_way, lines_of
from accshare.mapping.ir import CacheSetConflict, NestPartition, NestPlacement, NestPlan, RegisterTile, cut
from accshare.mapping.patterns import AccessPattern, has_inner_loops, patterns_of
from accshare.records import replace
from accshare.schedule.ir import Kernel
from accshare.tree import mentions

#: loops of which one goes over planes
_BOX = 3
#: iterations along x, y, z of a work-item, with planes along y
_TILE = (4096, 2, 128)
#: lines of memory that two planes may go along; where they are more, single rows are faster
_LINES = 16


def in_planes(nest: NestPlan, device: Device) -> NestPlan:
    """A stencil of a box by two planes, or by single rows where these would be too many lines; as it is where planes
    share nothing."""
    tile, kernel = nest.register_tile, nest.placement.partition.nest
    if tile is None or tile.conflict is None or len(kernel.grid) < _BOX or has_inner_loops(kernel):
        return nest
    placement = NestPlacement(NestPartition(_turned(kernel)))
    moving = [r for r in patterns_of(placement) if 1 in r.moves]
    plane, row = (next(m.loop.iterator for m in placement.partition.nest.grid if m.axis == axis) for axis in (1, 2))
    lines, more = lines_of(moving, {}), lines_of(moving, {}, {plane})
    if lines == more:
        return nest
    if lines + more > _LINES:
        return replace(nest, register_tile=RegisterTile(1, 1, tile.lanes))
    alone = _in_a_column(moving, plane) > WAYS
    least = 1 if alone or lines + more > WAYS else _TILE[1]
    conflict = CacheSetConflict(least, 1, half_a_way(device), None if alone else row)
    return replace(nest, placement=placement, register_tile=RegisterTile(_TILE[1], 1, tile.lanes, conflict))


def _turned(kernel: Kernel) -> Kernel:
    """A kernel with the axes y and z of its grid in each other's place."""
    axes = {1: 2, 2: 1}
    grid = tuple(replace(m, axis=axes.get(m.axis, m.axis)) for m in kernel.grid)
    return cut(kernel, tuple(replace(m, size=_TILE[m.axis] if m.axis < len(_TILE) else 1) for m in grid))


def _in_a_column(patterns: list[AccessPattern], plane: Symbol) -> int:
    """The lines of two planes that lie one above the other, in the fullest row of each array: they compete for the
    same sets of a cache where planes lie a power of two apart, and those of other rows only where rows do."""
    found: dict[str, dict[tuple[Expr | None, ...], set[tuple[Expr, ...]]]] = {}
    for pattern in patterns:
        *outer, _ = pattern.access.subscripts
        row = tuple(None if mentions(e, plane) else e for e in outer)
        found.setdefault(pattern.access.variable.name, {}).setdefault(row, set()).add(tuple(outer))
    return sum(max(map(len, rows.values())) + 1 for rows in found.values())
