"""Tile and work-group sizes, and what goes through local memory (SHARE 3.2)."""

from __future__ import annotations

from accshare.device import Device
from accshare.mapping.ir import Partition
from accshare.mapping.staging.advice import possible
from accshare.mapping.staging.hints import hints_of
from accshare.mapping.staging.search import Policy
from accshare.mapping.staging.solve import solve
from accshare.options import Options
from accshare.schedule.ir import Schedule

__all__ = ["partition"]


def partition(schedule: Schedule, device: Device, policy: Policy, options: Options) -> Partition:
    """Choose how the iterations of every kernel are spread over work-groups and work-items of `device`, and what they
    keep in local memory."""
    asked, unclear = hints_of(schedule.scop, options)
    hints, impossible = possible(asked, device, policy.warp, options)
    solved = [solve(schedule, nest, device, policy, options, hints) for nest in schedule.kernels]
    staged = {s.variable for one in solved for s in one.partition.staged}
    problems = [problem for one in solved for problem in one.problems]
    left = [note for one in solved for hint, note in one.notes if hint.variable not in staged]
    diagnostics = dict.fromkeys((*unclear, *impossible, *problems, *left))
    return Partition(schedule, device, tuple(one.partition for one in solved), tuple(diagnostics))
