"""Several devices' plans for one region: which of them are needed, and what is said of them together."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.device import Device
from accshare.diagnostics import Diagnostic, Kind
from accshare.mapping.ir import Partition, Plan
from accshare.schedule.ir import only_updated


def distinct(plans: tuple[Plan, ...]) -> Iterator[Plan]:
    """Without those that would give the kernels of a later plan, whose device model is the more general one. How much
    local memory there is matters to copies of arrays, and whose OpenCL it is to barriers: no plan speaks of these."""
    for number, one in enumerate(plans):
        device = one.partition.device
        nests = [nest for plan in (one, *one.others) for nest in plan.nests]
        copies = any(any(only_updated(n.placement.partition.nest.statements)) for n in nests)
        others = (p.partition.device for p in plans[number + 1 :] if _parts(p) == _parts(one))
        alike = [d for d in others if _alike(device, d)]
        if not any(other.local_bytes == device.local_bytes or not copies for other in alike):
            yield one


def _parts(plan: Plan) -> tuple[object, ...]:
    return plan.nests, plan.bands, tuple(form for form, _ in plan.by_rows), tuple(p.nests for p in plan.others)


def _alike(one: Device, other: Device) -> bool:
    """Whether equal plans give equal kernels. Host compilers find vectors of their own, longer ones for newer
    processors: it is AVX2 that makes the difference to the oldest."""
    if (one.kind, one.native, one.sound_barriers) != (other.kind, other.native, other.sound_barriers):
        return False
    return not one.native or other.isa != "x86-64-v2"


def agreed(partitions: tuple[Partition, ...]) -> tuple[Diagnostic, ...]:
    """What is said of a region's hints for all devices it is compiled for: notes as they are, and problems once, where
    no device that has local memory of its own can follow the hint."""
    able = [p for p in partitions if p.device.local_dedicated] or list(partitions)
    told: dict[object, Diagnostic] = {}
    for partition in partitions:
        for d in partition.diagnostics:
            place = (d.code, d.span)
            if d.kind is Kind.NOTE:
                told[d] = d
            elif all(any((o.code, o.span) == place for o in p.diagnostics) for p in able):
                told.setdefault(place, d)
    return tuple(told.values())
