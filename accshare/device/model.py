"""The model of a device: the figures every decision is derived from."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class DeviceKind(enum.Enum):
    """What decides the mapping; the value is written into variants and reports."""

    CPU = "cpu"
    GPU = "gpu"


@dataclass(frozen=True, slots=True)
class Device:
    """A device as the compiler sees it; sizes are in bytes unless named otherwise.

    `simd_width` is the warp (NVIDIA), wavefront (AMD) or SIMD width in 32-bit lanes (CPU); `local_bytes` is what one
    work-group may have and `local_per_unit` what a compute unit holds; `local_dedicated` tells real scratchpad memory
    from ordinary memory under that name. `registers_per_unit` counts 32-bit registers, `registers_per_item` those that
    a work-item can have before values are spilled to memory. `local_bandwidth` and `cache_bandwidth` are bytes a clock
    a compute unit, from local memory and, for global memory, from the nearest cache that all its work-groups can rely
    on. Global memory lies in `channels` of `channel_bytes` each in turn; 1 and 0 where that is not known, or addresses
    are scattered over them. `l1_bytes`, `l2_bytes` and `l3_bytes` are what one compute unit has of a CPU's caches
    while all are busy, its part of those it shares; 0 for GPUs, and where there is no third one.
    """

    name: str
    kind: DeviceKind
    compute_units: int
    simd_width: int
    max_work_group: int
    max_threads_per_unit: int
    local_bytes: int
    local_dedicated: bool
    transaction_bytes: int
    banks: int
    bank_bytes: int
    fp64: bool
    local_per_unit: int
    max_groups_per_unit: int
    registers_per_unit: int
    local_bandwidth: float
    cache_bandwidth: float
    channels: int = 1
    channel_bytes: int = 0
    registers_per_item: int = 255
    l1_bytes: int = 0
    l2_bytes: int = 0
    l3_bytes: int = 0
