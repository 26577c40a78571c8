"""The mapping stage: what a region's kernels become on a device. What both kinds of device do to get arrays into local
memory is in `staging`."""

from __future__ import annotations

from accshare.data.ir import Overlap
from accshare.device import Device, DeviceKind
from accshare.mapping.aliasing import in_order_within_iterations
from accshare.mapping.cpu import map_to_cpu, with_bands
from accshare.mapping.gpu import map_to_gpu
from accshare.mapping.ir import Plan
from accshare.once import Once
from accshare.options import Options
from accshare.order.ir import InBlocks
from accshare.records import replace
from accshare.schedule.ir import Schedule

__all__ = ["map_to"]

_MAPPINGS = {DeviceKind.CPU: map_to_cpu, DeviceKind.GPU: map_to_gpu}


def map_to(
    schedule: Schedule,
    device: Device,
    options: Options,
    unchecked: tuple[Overlap, ...] | None = None,
    once: Once | None = None,
    rows: tuple[InBlocks, Schedule] | None = None,
) -> Plan:
    """Map every kernel to `device`, as devices of its kind want it. In the program's own memory, the pairs of data in
    `unchecked` may overlap, and passes over a matrix may go by blocks of its `rows`. What devices have in common is
    found `once`."""
    if device.native and unchecked:
        schedule = in_order_within_iterations(schedule, unchecked)
    plan = _MAPPINGS[device.kind](schedule, device, options)
    if not device.native or unchecked:  # bands and blocks use arrays together that launches use one after the other
        return plan
    plan = with_bands(plan, device, options, once or Once())
    if rows is None or plan.tiled is not None:
        return plan
    blocks, schedule = rows
    return replace(plan, blocks=blocks, tiled=map_to(schedule, device, options, once=once))
