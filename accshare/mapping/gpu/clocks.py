"""How long a kernel takes on a GPU, told from counts: one function for all ways to map it.

A compute unit starts instructions, loads and stores, and gets bytes from the memory that all share, while the device
starts groups, all at the same time; the slowest of these bounds it (Roofline). Besides, a work-item waits for what it
loads: groups that are resident together hide that from one another, but each round of them takes as long as one
work-item takes alone (Little's law, rounds counted whole: the tail of a launch). Where a group stands still as a whole,
others work, if there are any.
"""

from __future__ import annotations

from math import ceil

from accshare.device import Device
from accshare.records import dataclass

#: the part of what is not the slowest that adds to the time all the same
_OVERLAP = 0.2
#: clocks between two groups that a device starts, wherever
_START = 1.2


@dataclass(frozen=True, slots=True)
class GroupWork:
    """What a work-group does all through a kernel: instructions, counted by work-item; clocks in which loads and stores
    pass local memory and the unit's own cache; bytes from and to the memory that all groups share; the clocks that
    one of its work-items takes alone, running; and those in which the group as a whole stands still, waiting for tiles
    and at barriers. Where its tile is cut off, a group takes `tested` clocks more."""

    instructions: float
    local: float
    cache: float
    bytes: float
    alone: float
    still: float
    tested: float


def clocks(work: GroupWork, launched: int, filled: float, resident: int, device: Device) -> tuple[str, float]:
    """What bounds a launch of so many groups, of which a compute unit holds `resident`, and its clocks. Of the
    iterations that whole groups have, a part `filled` is there: work-items without any end at once."""
    groups, resident = ceil(launched / device.compute_units), max(1, resident)
    done = groups * filled
    parts = {
        "instructions": done * work.instructions / device.lanes,
        "local memory": done * work.local,
        "cache": done * work.cache,
        "global memory": done * work.bytes / device.cache_bandwidth,
        "starting groups": launched * _START,
    }
    bound = max(parts, key=lambda name: parts[name])
    rounds = ceil(groups / resident)
    busy = parts[bound] + _OVERLAP * (sum(parts.values()) - parts[bound]) + rounds * work.still / resident
    alone = rounds * (work.alone + work.still)
    taken = max(busy, alone) + _OVERLAP * min(busy, rounds * work.alone) + work.tested
    return bound if busy > alone else "latency", taken
