"""Whether it pays in time what a kernel has in local memory.

SHARE's objective finds the staging that saves most traffic (3.2.3). Where a cache serves the same references as fast,
what is saved does not matter, and copies and barriers cost. So a kernel is estimated with and without.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.mapping.gpu.shapes import Shape
from accshare.mapping.gpu.work import Time, Work
from accshare.mapping.ir import NestPartition, NestPlan, Partition, Placement, Plan, Solution
from accshare.mapping.staging.hints import does_not_pay, hints_of
from accshare.options import Options
from accshare.records import replace

#: what saves traffic is left out if it is estimated to take this much longer: the model is not surer than that
_SURE = 1.1
_ALL_THE_SAME = "--acc-share=on stages it all the same"


def fastest(staged: Plan, plain: Plan, options: Options) -> Plan:
    """The plan of each kernel that takes least time: `staged`, or `plain` without local memory. What is chosen for a
    kernel by name is left alone."""
    partition = staged.partition
    chosen = [_faster(a, b, partition, options) for a, b in zip(staged.nests, plain.nests, strict=True)]
    if all(one is nest for one, nest in zip(chosen, staged.nests, strict=True)):
        return staged
    nests = tuple(one.placement for one in chosen)
    parts = tuple(nest.partition for nest in nests)
    noted = dict.fromkeys((*partition.diagnostics, *_notes(partition, parts, options)))
    both = replace(partition, nests=parts, diagnostics=tuple(noted))
    return Plan(Placement(both, nests), tuple(chosen))


def _faster(staged: NestPlan, plain: NestPlan, partition: Partition, options: Options) -> NestPlan:
    own = staged.placement.partition
    if not own.staged or options.choice(own.nest.name) is not None:
        return staged
    with_, without = (estimate(one, partition.device, options) for one in (staged, plain))
    if with_.clocks <= _SURE * without.clocks:
        return staged
    assert own.solution is not None, "what is staged was solved for"
    solution = _declined(own.solution, with_, without)
    part = replace(plain.placement.partition, solution=solution)
    return replace(plain, placement=replace(plain.placement, partition=part))


def estimate(nest: NestPlan, device: Device, options: Options, length: int = 0) -> Time:
    """What a launch of a planned kernel takes; `length` is that of mapped loops of which nobody knows it, 0 for what is
    usually assumed."""
    assert nest.coarsening is not None, "a GPU's kernels have one"
    shape, chosen = Shape.of(nest.placement.partition), nest.coarsening
    groups = chosen.resident // prod(m.threads for m in shape.grid)
    work = Work(nest.placement, device, options.contract, length)
    return work.time(shape, chosen.factors, chosen.local_bytes, groups, nest.strips_ahead)


def _declined(solution: Solution, staged: Time, plain: Time) -> Solution:
    """The account of a search whose best plan is not taken."""
    longer = staged.clocks / plain.clocks
    why = f"with it, the kernel is estimated to take {longer:.2f} times as long: {staged}; without, {plain}"
    arrays = tuple(replace(a, staged=False, why=why) if a.staged else a for a in solution.arrays)
    return replace(solution, arrays=arrays, binding="", declined=why)


def _notes(before: Partition, parts: tuple[NestPartition, ...], options: Options) -> Iterator[Diagnostic]:
    """What is to be said of hinted arrays that no kernel stages any more."""
    left = {s.variable for part in parts for s in part.staged}
    for hint in hints_of(before.schedule.scop, options)[0]:
        if hint.variable not in left:
            why = [p.solution.declined for p in parts if p.solution and p.solution.declined]
            if any(hint.variable == s.variable for p in before.nests for s in p.staged):
                yield replace(does_not_pay(hint, why[0], before.device), hint=_ALL_THE_SAME)
