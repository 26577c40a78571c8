"""The mapping stage: a region's kernels on a device. Tiles and work-groups, what is kept in local memory (`staging`),
how it lies there and what a work-item runs at once (`gpu`, `cpu`)."""

from __future__ import annotations

from accshare.device import Device
from accshare.mapping.gpu.banks import place
from accshare.mapping.gpu.coarsening import parallelize
from accshare.mapping.ir import Plan
from accshare.mapping.staging import partition
from accshare.mapping.staging.chosen import without_refused
from accshare.options import Options
from accshare.schedule.ir import Schedule

__all__ = ["map_to"]


def map_to(schedule: Schedule, device: Device, options: Options) -> Plan:
    """Map every kernel to `device`."""
    cut = partition(schedule, device, options)
    options = without_refused(cut, options)
    return parallelize(place(cut, options), options, place)
