"""The partition stage: tile and work-group sizes, and what share hints ask for."""

from __future__ import annotations

from accshare.device import Device
from accshare.options import Options
from accshare.partition.hints import hints_of
from accshare.partition.ir import NestPartition, Partition
from accshare.partition.sizes import dimensions
from accshare.schedule.ir import Mapping

__all__ = ["partition"]


def partition(mapping: Mapping, device: Device, options: Options) -> Partition:
    """Choose how the iterations of every kernel are spread over work-groups and work-items of `device`."""
    nests = tuple(NestPartition(nest, dimensions(nest, device)) for nest in mapping.kernels)
    return Partition(mapping, device, nests, hints_of(mapping.scop, options)[1])
