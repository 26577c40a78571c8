"""Loops over time whose steps run in bands: where that is known to be legal, and the plan that has them beside the one
that has not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from accshare.frontend.ir import IntLit
from accshare.mapping.bands.rejoined import rejoined
from accshare.mapping.bands.sizes import Sized, counts_up
from accshare.mapping.bands.slopes import Slopes, in_the_way, slopes
from accshare.mapping.bands.split import by_bands, what_is_next
from accshare.mapping.ir import Ahead, InBands, NestPlan, Partition, Placement, Plan
from accshare.poly.ir import Dependence, LoopNode
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.schedule.ir import Band, Kernel, Node, Role, Schedule, steps

#: isl's operations for one nest
_OPERATIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Tiled:
    """A region with loops over time in bands: its schedule, what became of which loops, and the names of the kernels
    whose sweeps a kernel of bands runs, and what it may ask for, by its name."""

    schedule: Schedule
    loops: tuple[InBands, ...]
    sweeps: dict[str, tuple[str, ...]]
    ahead: dict[str, Ahead]


def banded(schedule: Schedule, sized: Callable[[Slopes, LoopNode], Sized | None]) -> Tiled | None:
    """The schedule with steps in bands wherever that is known to be legal, and there are sizes with which it may gain;
    None where that is nowhere."""
    loops: list[InBands] = []
    sweeps: dict[str, tuple[str, ...]] = {}
    ahead: dict[str, Ahead] = {}
    for node in _around_kernels(schedule.tree):
        try:
            with Quota(_OPERATIONS):
                found = _tiled(schedule, node, sized)
        except QuotaExceeded:
            continue
        if found is not None:
            schedule, loops, sweeps = found.schedule, [*loops, *found.loops], sweeps | found.sweeps
            ahead |= found.ahead
    return Tiled(schedule, tuple(loops), sweeps, ahead) if loops else None


def kept_whole(schedule: Schedule) -> Iterator[tuple[LoopNode, Dependence]]:
    """The loops over time whose steps have no bands, because of a dependence that leads over many rows."""
    for node in _around_kernels(schedule.tree):
        try:
            with Quota(_OPERATIONS):
                found = _forbidding(schedule, node)
        except QuotaExceeded:
            continue
        if found is not None:
            yield node.members[0].loop, found


def _forbidding(schedule: Schedule, node: Band) -> Dependence | None:
    own = _steps(schedule, node)
    if own is None or slopes(own.schedule.scop, own.loop, own.kernels) is not None:
        return None
    return in_the_way(own.schedule.scop, own.loop, own.kernels)


def beside(plan: Plan, found: Tiled, band: Callable[[Kernel, list[NestPlan], Ahead], NestPlan | None]) -> Plan:
    """A plan with the one that has bands: `band` plans a kernel that runs some sweeps in bands. The plan alone if it
    can't."""
    before = plan.placement.partition
    known = {nest.placement.partition.nest.name: nest for nest in plan.nests}
    nests: list[NestPlan] = []
    for kernel in found.schedule.kernels:
        nest = known.get(kernel.name)
        if nest is None:
            nest = band(kernel, [known[name] for name in found.sweeps[kernel.name]], found.ahead[kernel.name])
        if nest is None:
            return plan
        nests.append(nest)
    partitions = tuple(nest.placement.partition for nest in nests)
    whole = Partition(found.schedule, before.device, partitions, before.diagnostics)
    other = Plan(Placement(whole, tuple(nest.placement for nest in nests)), tuple(nests))
    return replace(plan, bands=found.loops, tiled=other)


def _around_kernels(node: Node) -> Iterator[Band]:
    """The loops on the host that have nothing but kernels in them."""
    for step in steps(node):
        if isinstance(step, Band) and step.members[0].role is Role.HOST:
            if all(isinstance(inside, Kernel) for inside in steps(step.child)):
                yield step
            else:
                yield from _around_kernels(step.child)


@dataclass(frozen=True, slots=True)
class _Steps:
    """A loop over time that may have bands, which has nothing but `kernels` in it: the node of that in a schedule in
    which they have all arrays under their own names."""

    schedule: Schedule
    node: Band
    loop: LoopNode
    kernels: tuple[Kernel, ...]


def _steps(schedule: Schedule, node: Band) -> _Steps | None:
    loop = node.members[0].loop
    if not _is_regular(schedule, loop, _kernels(node)):
        return None
    schedule, node = rejoined(schedule, node)
    return _Steps(schedule, node, loop, _kernels(node))


def _kernels(node: Band) -> tuple[Kernel, ...]:
    return tuple(k for k in steps(node.child) if isinstance(k, Kernel))


def _tiled(schedule: Schedule, node: Band, sized: Callable[[Slopes, LoopNode], Sized | None]) -> Tiled | None:
    own = _steps(schedule, node)
    if own is None:
        return None
    schedule, node, loop, kernels = own.schedule, own.node, own.loop, own.kernels
    found = slopes(schedule.scop, loop, kernels)
    chosen = None if found is None else sized(found, loop)
    if found is None or chosen is None:
        return None
    size = chosen.size
    whole = by_bands(schedule, node, found, size)
    names = tuple(kernel.name for kernel in kernels)
    cut = tuple((c.along, width) for c, width in zip(found.columns, size.columns, strict=False))
    made = [kernel for kernel in whole.kernels if kernel.name not in {k.name for k in schedule.kernels}]
    ends = found.low, found.high, found.reaches
    one = InBands(loop, found.along, size.steps, size.rows, cut, *ends, chosen.large, chosen.number, chosen.common)
    ahead = {kernel.name: what_is_next(kernel, found, size) for kernel in made}
    return Tiled(whole, (one,), {kernel.name: names for kernel in made}, ahead)


def _is_regular(schedule: Schedule, loop: LoopNode, kernels: tuple[Kernel, ...]) -> bool:
    """Whether a loop counts up from a constant, and what it launches are statements that have nothing to do with one
    another but by arrays, all of it known from dependences."""
    inside = [s for k in kernels for s in k.statements]
    fixed = (n.loop.directive for s in inside for n in s.loops[loop.depth :])
    if not schedule.scop.region.construct.kind.is_kernels or any(d is not None and d.fixes_order for d in fixed):
        return False
    plain = all(k.grid and not k.reductions and k.finalize is None and not k.aliased for k in kernels)
    counts = isinstance(loop.loop.first, IntLit) and counts_up(loop)
    if not (plain and counts and all(counts_up(k.grid[0].loop) and k.grid[0].step == 1 for k in kernels)):
        return False
    used = [{a.variable.name for s in k.statements for a in s.accesses} for k in kernels]
    if any(k.private & others for n, k in enumerate(kernels) for m, others in enumerate(used) if n != m):
        return False
    own = {s.name for s in inside}
    between = [d for d in schedule.scop.dependences if {d.source.name, d.sink.name} & own]
    assumed = {id(one.dependence) for one in schedule.assumed}
    return not any(d.atomic or id(d) in assumed for d in between)
