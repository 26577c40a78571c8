"""Other sizes for launches of few work-groups.

Where nobody knows how often loops run, a kernel's tiles and work-groups are chosen for large problems. A small one has
fewer groups than the device has compute units then; smaller groups keep more of these busy. The host picks by the size
of the launch.
"""

from __future__ import annotations

from math import prod

from accshare.device import Device
from accshare.mapping.gpu.banks import place
from accshare.mapping.gpu.coarsening import coarsened, resized, settled
from accshare.mapping.gpu.judge import estimate
from accshare.mapping.ir import NestPlan, Placement, Plan, Small
from accshare.mapping.patterns import known_trips
from accshare.options import Options, Share
from accshare.records import replace

#: launches that are looked at, in groups of the kernel's for each compute unit; the one for which sizes are chosen
_LAUNCHES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2)
_CHOSEN_FOR = 1 / 4
#: a second kernel has to be so much faster somewhere, and where it runs; nowhere below may it be slower than this
_WORTH, _FASTER, _NEVER = 1.25, 1.1, 0.95


def with_small_sizes(plan: Plan, options: Options) -> Plan:
    """The kernels of a plan, with others for small launches where that gains. Devices that are not known well have one
    size for all: so do kernels whose sizes were asked for."""
    device = plan.partition.device
    asked = options.share is not Share.AUTO or not options.ilp.automatic or options.plain
    if asked or not device.sound_barriers or plan.tiled is not None:
        return plan
    lengths = tuple(_length(nest, device, _CHOSEN_FOR) if _has_one_size(nest, options) else 0 for nest in plan.nests)
    if not any(lengths):
        return plan
    placed = Placement(plan.partition, tuple(nest.placement for nest in plan.nests))
    chosen = coarsened(placed, options, lengths)
    cut_anew = resized(plan.partition, chosen)
    if cut_anew is plan.partition:
        return plan
    others = settled(placed, place(cut_anew, options), chosen, options).nests
    both = zip(plan.nests, others, lengths, strict=True)
    nests = tuple(_with_small(nest, other, device, options) if length else nest for nest, other, length in both)
    return replace(plan, nests=nests)


def _has_one_size(nest: NestPlan, options: Options) -> bool:
    """Whether a kernel has one size for launches of any, and could have another."""
    kernel = nest.placement.partition.nest
    fixed = kernel.reductions or kernel.finalize or kernel.aliased or kernel.threads or nest.small
    unknown = any(known_trips(member.loop) is None for member in kernel.grid)
    return not fixed and unknown and nest.coarsening is not None and options.choice(kernel.name) is None


def _length(nest: NestPlan, device: Device, groups: float) -> int:
    """How often each loop of which nobody knows it runs in a launch of so many groups for each compute unit."""
    grid = nest.placement.partition.nest.grid
    known = [known_trips(member.loop) for member in grid]
    rest = groups * device.compute_units * prod(member.size for member in grid) / prod(n for n in known if n)
    each: float = rest ** (1 / known.count(None))
    return max(1, round(each))


def _with_small(nest: NestPlan, other: NestPlan, device: Device, options: Options) -> NestPlan:
    """A kernel with another one for small launches, if that is enough faster."""
    own, partition = nest.placement.partition, other.placement.partition
    if partition.nest.grid == own.nest.grid:
        return nest
    lengths = [_length(nest, device, groups) for groups in _LAUNCHES]
    times = [[estimate(one, device, options, length).clocks for one in (nest, other)] for length in lengths]
    gains = [(large + device.launch_cycles) / (small + device.launch_cycles) for large, small in times]
    slower = next((k for k, gain in enumerate(gains) if gain < _NEVER), len(gains))
    last = max((k for k, gain in enumerate(gains[:slower]) if gain >= _FASTER), default=-1)
    if max(gains[: last + 1], default=0) < _WORTH:
        return nest
    each = round(_LAUNCHES[last] * prod(member.size for member in own.nest.grid))
    named = replace(partition, nest=replace(partition.nest, name=f"{partition.nest.name}_small"))
    return replace(nest, small=Small(replace(other, placement=replace(other.placement, partition=named)), each))
