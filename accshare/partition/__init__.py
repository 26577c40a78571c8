"""The partition stage: tile and work-group sizes, and what is staged in local memory (SHARE 3.2)."""

from __future__ import annotations

from accshare.device import Device
from accshare.options import Options
from accshare.partition.hints import hints_of
from accshare.partition.ir import Partition
from accshare.partition.solve import solve
from accshare.schedule.ir import Mapping

__all__ = ["partition"]


def partition(mapping: Mapping, device: Device, options: Options) -> Partition:
    """Choose how the iterations of every kernel are spread over work-groups and work-items of `device`, and what they
    keep in local memory."""
    hints, problems = hints_of(mapping.scop, options)
    solved = [solve(mapping, nest, device, options, hints) for nest in mapping.kernels]
    notes = (note for one in solved for note in one.diagnostics)
    return Partition(mapping, device, tuple(one.partition for one in solved), tuple(dict.fromkeys((*problems, *notes))))
