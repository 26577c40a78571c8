"""What a kernel becomes on a CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.frontend.ir import Function
from accshare.mapping.bands.found import beside
from accshare.mapping.cpu.boxes import in_planes
from accshare.mapping.cpu.column_sums import by_rows
from accshare.mapping.cpu.data_bound import data_bound_loops
from accshare.mapping.cpu.partition import plain_sizes, policy_of
from accshare.mapping.cpu.register_tile import register_tile, runs_in, scalar_because, within_rows
from accshare.mapping.cpu.time_tiles import tiled
from accshare.mapping.ir import (
    COPIED,
    Ahead,
    GroupOrder,
    Layout,
    NestPartition,
    NestPlacement,
    NestPlan,
    Partition,
    Placement,
    Plan,
    RegisterTile,
    Small,
    TilePlacement,
)
from accshare.mapping.ir import cut as sized
from accshare.mapping.patterns import has_inner_loops, known_trips, patterns_of
from accshare.mapping.staging import partition
from accshare.once import Once
from accshare.options import AUTO, Options, Share
from accshare.records import replace
from accshare.schedule.ir import Band, Kernel, Node, Phase, Role, Schedule, Sequence, Staged, members
from accshare.tree import mentions

#: with fewer tiles a launch may leave cores idle
_TILES = 4
#: the fewest iterations over which a group has a loop, in which there are vectors along loops inside
_LOOP = 2
_ALIASED = "pointers in it may lead to the same memory, so that each iteration keeps the order of the program"
_FORCED = "native kernels have no local memory, which --acc-share=force asks for; they are compiled as with on"
_ROWS = "its work-items run many steps of rows, of which the host compiler makes vectors"
_TOO_COSTLY = "the region is too complicated to look for them"


def map_to_cpu(schedule: Schedule, device: Device, options: Options) -> Plan:
    """Tiles that a core runs alone, panels that are packed for them, and what vector registers hold."""
    if device.native and options.share is Share.FORCE:
        cut = _cut(schedule, device, replace(options, share=Share.ON))
        note = Diagnostic("ACC511", _FORCED, schedule.scop.region.construct.span)
        cut = replace(cut, diagnostics=(*cut.diagnostics, note))
    else:
        cut = _cut(schedule, device, options)
    placed = Placement(cut, tuple(map(_placed, cut.nests)))
    planned = partial(_planned, device=device, options=options, functions=schedule.scop.region.functions)
    nests = tuple(planned(nest) for nest in placed.nests)
    if device.native:
        whole = {kernel.name: kernel for kernel in schedule.kernels}
        nests = tuple(_along_rows(n, whole[n.placement.partition.nest.name], device, planned) for n in nests)
        nests = tuple(_by_iterations(nest, planned) for nest in nests)
    return Plan(placed, nests)


def _along_rows(
    nest: NestPlan, kernel: Kernel, device: Device, planned: Callable[[NestPlacement], NestPlan]
) -> NestPlan:
    """A native kernel with vectors along the rows that all its iterations update, where a loop of its grid goes along
    these."""
    rows = by_rows(kernel, device.local_bytes // COPIED)
    if rows is None:
        return nest
    found = planned(_placed(NestPartition(sized(rows, plain_sizes(device, rows)))))
    return found if found.register_tile is not None and found.register_tile.copied else nest


def _by_iterations(nest: NestPlan, planned: Callable[[NestPlacement], NestPlan]) -> NestPlan:
    """A native kernel over one loop whose iterations have loops of their own: where these are so few that tiles of them
    would leave cores idle, each is a work-group. Nobody knows how much they have to do. Where loops inside have no
    vectors of their own, as many iterations as a vector has take no longer than one, and stay together."""
    kernel = nest.placement.partition.nest
    if not kernel.grid or kernel.reductions or kernel.finalize or kernel.aliased or nest.placement.tiles:
        return nest
    if len(kernel.grid) > 1:
        return _in_single_rows(nest, planned)
    (member,) = kernel.grid
    if member.size == 1 or not has_inner_loops(kernel):
        return nest
    tile, few, known = nest.register_tile, _TILES * member.size, known_trips(member.loop)
    if tile is not None and tile.copied:  # each group has copies to add, which are better few
        return nest
    across = tile is not None and tile.reduction is None and _are_in_order(kernel)
    lanes = tile.lanes if tile is not None and across else 1
    stays = lanes > 1 if known is None else known >= few
    if stays:
        return nest
    if known is not None:
        each = sized(kernel, (replace(member, size=lanes if known >= lanes else 1),))
        return planned(_placed(NestPartition(each)))
    each = sized(kernel, (replace(member, size=_LOOP if tile is not None and tile.reduction is not None else 1),))
    small = planned(_placed(NestPartition(replace(each, name=f"{kernel.name}_small"))))
    return replace(nest, small=Small(small, few))


def _in_single_rows(nest: NestPlan, planned: Callable[[NestPlacement], NestPlan]) -> NestPlan:
    """Groups of single rows, no longer than what runs at once, where rows share nothing that a cache would have to keep
    meanwhile: they follow one another as they do in larger groups, and threads take ranges of them."""
    kernel, tile = nest.placement.partition.nest, nest.register_tile
    shared = any(0 in one.moves and 1 not in one.moves for one in patterns_of(nest.placement))
    if shared or not has_inner_loops(kernel) or any(m.loop.loop.step != 1 for m in kernel.grid):
        return nest
    (along,) = (m.size for m in kernel.grid if m.axis == 0)
    rows = 1
    if tile is not None and tile.reduction is not None:
        rows, along = tile.reduction.rows, max(_LOOP, tile.reduction.columns)
    elif tile is not None:
        rows, along = tile.rows, tile.vectors * tile.lanes
    if rows > 1:
        return nest
    grid = tuple(replace(m, size=1 if m.axis else min(m.size, along)) for m in kernel.grid)
    return planned(_placed(NestPartition(sized(kernel, grid))))


def _are_in_order(kernel: Kernel) -> bool:
    """Whether iterations of all innermost loops need what those before them leave, and are as many in each iteration of
    the grid."""
    (own,) = (member.loop for member in kernel.grid)
    inside = {m.loop.index: m for m in members(kernel.inside) if m.loop != own}
    deepest = [inside[s.loops[-1].index] for s in kernel.statements if s.loops[-1].index in inside]
    bounds = (e for m in inside.values() for e in (m.loop.loop.first, m.loop.loop.bound))
    return (
        bool(deepest) and not any(m.coincident for m in deepest) and not any(mentions(e, own.iterator) for e in bounds)
    )


def with_bands(plan: Plan, device: Device, options: Options, once: Once) -> Plan:
    """A native plan with another one that has bands, where they may gain; stencils of boxes that are in no band go
    by planes."""
    before = plan.placement.partition
    wanted = options.schedule == AUTO and not options.plain
    tiles = (nest.register_tile for nest in plan.nests if _is_product(nest))
    rows = max((tile.rows for tile in tiles if tile is not None), default=1)
    found = once(tiled, before.schedule, device.l2_bytes, rows) if wanted else None
    whole = plan if found is None else beside(plan, found, _band)
    return _in_planes(whole, partial(in_planes, device=device))


def _in_planes(plan: Plan, turned: Callable[[NestPlan], NestPlan]) -> Plan:
    """A plan, and the one beside it, with stencils of boxes `turned`."""
    other = None if plan.tiled is None else _in_planes(plan.tiled, turned)
    return replace(plan, nests=tuple(map(turned, plan.nests)), tiled=other)


def _band(kernel: Kernel, sweeps: list[NestPlan], ahead: Ahead) -> NestPlan | None:
    """A kernel that runs bands of `sweeps`: a work-group is one, since each takes long. It has the register tiles of
    the sweeps where these may have the same, or that of products. None where products would have none: an order of
    magnitude is more than bands gain."""
    least = _least(sweeps) or _of_products(sweeps)
    if least is None:
        if any(map(_is_product, sweeps)):
            return None
        return NestPlan(NestPlacement(NestPartition(sized(kernel, kernel.grid))), scalar=_ROWS)
    own = replace(kernel, child=Band(kernel.grid, Phase(_own(kernel.inside))))
    return NestPlan(NestPlacement(NestPartition(own)), register_tile=least, ahead=ahead)


def _least(sweeps: list[NestPlan]) -> RegisterTile | None:
    """The smallest register tile of sweeps over all loops, if each of these may have it."""
    deepest = max(len(sweep.placement.partition.nest.grid) for sweep in sweeps)
    whole = [sweep for sweep in sweeps if len(sweep.placement.partition.nest.grid) == deepest]
    tiles = [(sweep.register_tile, sweep.placement) for sweep in whole if sweep.register_tile is not None]
    if not tiles:
        return None
    least, of = min(tiles, key=lambda one: one[0].rows * one[0].vectors * one[0].lanes)
    alike = all(tile.conflict is not None and tile.lanes == least.lanes for tile, _ in tiles)
    others = (sweep.placement for sweep in whole if sweep.register_tile is None)
    return least if alike and all(runs_in(least, of, other) for other in others) else None


def _of_products(sweeps: list[NestPlan]) -> RegisterTile | None:
    """The register tile of those sweeps that are products, if all of these have the same. They go along rows of what
    they pack elsewhere: in bands, the cache holds it as it is."""
    products = [sweep for sweep in sweeps if _is_product(sweep)]
    tiles = {sweep.register_tile for sweep in products}
    along = all(pattern.coalesced for sweep in products for pattern in patterns_of(sweep.placement))
    return tiles.pop() if along and len(tiles) == 1 else None


def _is_product(sweep: NestPlan) -> bool:
    """Whether rows of a register tile share what they load in loops inside."""
    tile = sweep.register_tile
    return (
        tile is not None
        and tile.rows > 1
        and tile.reduction is None
        and has_inner_loops(sweep.placement.partition.nest)
    )


def _own(node: Node) -> Node:
    """What a band runs, with the iterations of its sweeps as a work-item's own: they have no order."""
    match node:
        case Sequence(children):
            return Sequence(tuple(map(_own, children)))
        case Band(inside, child):
            return Band(tuple(replace(m, role=Role.OWN) if m.coincident else m for m in inside), _own(child))
    return node


def _cut(schedule: Schedule, device: Device, options: Options) -> Partition:
    return partition(schedule, device, policy_of(device, options), options)


def _placed(nest: NestPartition) -> NestPlacement:
    """The kernel's tiles as their hulls are, and what is packed so that vectors of it can be loaded."""
    order = GroupOrder.COLUMNS if nest.packed else GroupOrder.ROWS
    return NestPlacement(nest, tuple(TilePlacement(s, _layout(s, nest)) for s in nest.staged), order=order)


def _layout(staged: Staged, nest: NestPartition) -> Layout:
    dimensions = range(len(staged.lengths))
    if not staged.packed:
        return Layout(tuple(dimensions))
    x = next(d.loop.index for d in nest.nest.grid if d.axis == 0)  # what moves along it lies side by side
    return Layout(tuple(sorted(dimensions, key=lambda k: x in dict(staged.growth[k]))))


def _planned(
    placement: NestPlacement, *, device: Device, options: Options, functions: tuple[Function, ...]
) -> NestPlan:
    if options.plain:
        return NestPlan(placement, scalar=_TOO_COSTLY)
    data_bound = data_bound_loops(placement.partition.nest, device, options)
    if placement.partition.nest.aliased:
        return NestPlan(placement, scalar=_ALIASED, data_bound=data_bound)
    patterns = patterns_of(placement)
    tile = register_tile(placement, patterns, device, functions)
    if tile is not None and placement.partition.packed:
        tile = replace(tile, flat=False)
    if tile is not None:
        tile = within_rows(tile, placement)
    why = scalar_because(placement, patterns, tile)
    return NestPlan(placement, register_tile=tile, scalar=why, data_bound=data_bound)
