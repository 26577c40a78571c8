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
from accshare.order.ir import ByRows, InBlocks
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
    rows: tuple[tuple[ByRows, Schedule], ...] = (),
) -> Plan:
    """Map every kernel to `device`, as devices of its kind want it. In the program's own memory, the pairs of data in
    `unchecked` may overlap, and passes over a matrix may go by its `rows`. What devices have in common is found
    `once`."""
    if device.native and unchecked:
        schedule = in_order_within_iterations(schedule, unchecked)
    plan = _MAPPINGS[device.kind](schedule, device, options)
    if not device.native or unchecked:  # bands and blocks use arrays together that launches use one after the other
        return plan
    plan = with_bands(plan, device, options, once or Once())
    if plan.tiled is not None:
        return plan
    planned = ((form, map_to(schedule, device, options, once=once)) for form, schedule in rows)
    return replace(plan, by_rows=tuple((form, one) for form, one in planned if _is_had(form, one)))


def _is_had(form: ByRows, plan: Plan) -> bool:
    """Whether a plan has what its form is for: one pass has copies of what it adds up, in vectors."""
    return isinstance(form, InBlocks) or any(n.register_tile and n.register_tile.copied for n in plan.nests)
