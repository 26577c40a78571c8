"""The ilp stage: instruction-level parallelism (SHARE 3.3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from accshare.device import Device, DeviceKind
from accshare.mapping.cpu.block import block_of, scalar_because
from accshare.mapping.gpu.choose import Choice, choose, planned
from accshare.mapping.gpu.limits import conflict
from accshare.mapping.gpu.shapes import Shape, resized
from accshare.mapping.ir import NestPlacement, NestPlan, Partition, Placement, Plan
from accshare.options import Options

__all__ = ["parallelize"]

_TOO_COSTLY = "the region is too complicated to look for them"
#: the banks stage's verb
Place = Callable[[Partition, Options], Placement]


def parallelize(placement: Placement, options: Options, place: Place) -> Plan:
    """Choose how many iterations each work-item of every kernel runs side by side.

    Where that changes a work-group or its tiles, `place` says anew how they lie in local memory; a choice that brings
    bank conflicts is not taken, unless it was asked for.
    """
    partition = placement.partition
    choices = tuple(choose(partition.schedule, nest, partition.device, options) for nest in placement.nests)
    cut_anew = tuple(resized(n.partition, c.shape) for n, c in zip(placement.nests, choices, strict=True))
    if all(new is n.partition for new, n in zip(cut_anew, placement.nests, strict=True)):
        return _plan(placement, placement.nests, choices, options)
    anew = place(replace(partition, nests=cut_anew), options)
    nests, kept = [], []
    for old, new, choice in zip(placement.nests, anew.nests, choices, strict=True):
        wrong = conflict(new) if options.of_kernel(new.partition.nest.name).ilp.automatic else ""
        nests.append(old if wrong else new)
        kept.append(
            replace(choice, shape=Shape.of(old.partition), why=f"other sizes have {wrong}") if wrong else choice
        )
    return _plan(placement, tuple(nests), tuple(kept), options)


def _plan(
    placement: Placement, nests: tuple[NestPlacement, ...], choices: tuple[Choice, ...], options: Options
) -> Plan:
    device = placement.partition.device
    plans = (planned(nest, choice) for nest, choice in zip(nests, choices, strict=True))
    return Plan(placement, tuple(_with_block(plan, device, options.plain) for plan in plans))


def _with_block(plan: NestPlan, device: Device, plain: bool) -> NestPlan:
    if plain:
        return replace(plan, scalar=_TOO_COSTLY if device.kind is DeviceKind.CPU else "")
    block = block_of(plan.placement, device)
    return replace(plan, block=block, scalar=scalar_because(plan.placement, block, device))
