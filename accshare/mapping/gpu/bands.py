"""Bands on GPUs: a work-group runs several steps of a loop over time, and its work-items share each sweep, with
barriers in between. Launches that took longer than what they launched become few."""

from __future__ import annotations

from functools import partial

from accshare.device import Device
from accshare.islexpr import conjunction
from accshare.mapping.bands.found import banded, beside
from accshare.mapping.bands.sizes import Sized, as_long_each_time, at_most, in_range, power_below, steps_of
from accshare.mapping.bands.slopes import Slopes
from accshare.mapping.bands.split import Size
from accshare.mapping.gpu.superpose import are_fixed, in_phases
from accshare.mapping.ir import NestPartition, NestPlacement, NestPlan, Plan
from accshare.options import AUTO, Options
from accshare.poly.ir import LoopNode, Scop
from accshare.schedule.ir import Kernel

#: steps of a launch where rows are lines, and elements of a band where they are not
_STEPS, _ELEMENTS = 8, 1024
#: lines that a warp's access touches: rows begin anywhere, and so do neighbours
_LINES = 2


def with_bands(plan: Plan, options: Options) -> Plan:
    """A plan with another one that has bands, where they may gain."""
    schedule, device = plan.partition.schedule, plan.partition.device
    if options.schedule != AUTO or are_fixed(schedule.scop, options):
        return plan
    found = banded(schedule, partial(_sized, device))
    return plan if found is None else beside(plan, found, partial(_band, found.schedule.scop, device))


def _band(scop: Scop, device: Device, kernel: Kernel, *_: object) -> NestPlan | None:
    """A kernel whose groups have a band each."""
    made = in_phases(scop, kernel, device.gathering_width, device)
    return None if made is None else NestPlan(NestPlacement(NestPartition(made)))


def _sized(device: Device, found: Slopes, loop: LoopNode) -> Sized | None:
    """Bands of which a group does a step in less time than the launches of a step take."""
    loops = as_long_each_time(found, loop)
    if loops is None:
        return None
    rows = power_below(2 * _STEPS * max(1, found.each)) if loops[1:] else _ELEMENTS
    count = steps_of(found, loop, rows)
    large = conjunction((*at_most(loops[1:], _in_time(found, device) // rows), *in_range(found, loop)))
    return None if count < 2 or large is None else Sized(Size(count, rows), large)


def _in_time(found: Slopes, device: Device) -> int:
    """The points that a group goes over, with all sweeps of a step, in the time that their launches take: what it
    moves comes through the nearest cache."""
    accesses = sum(len({a.reference for s in sweep.kernel.statements for a in s.accesses}) for sweep in found.sweeps)
    cycles = _LINES * accesses * device.transaction_bytes / device.cache_bandwidth / device.simd_width
    busy = min(1.0, device.gathering_width / device.busy_items)
    return int(len(found.sweeps) * device.launch_cycles * busy / cycles)
