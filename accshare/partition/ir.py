"""What the partition stage produces: tile and work-group sizes for every kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.poly.ir import LoopNode
from accshare.schedule.ir import KernelNest, Mapping


@dataclass(frozen=True, slots=True)
class Dimension:
    """One mapped loop: a work-group takes `tile` consecutive iterations, each of its `threads` work-items every
    `threads`-th of them. Tiles start at multiples of `tile`, so that they are aligned."""

    loop: LoopNode
    axis: int
    tile: int
    threads: int


@dataclass(frozen=True, slots=True)
class NestPartition:
    """The dimensions of one kernel, outermost loop first; empty for a kernel of one work-item."""

    nest: KernelNest = field(repr=False)
    dimensions: tuple[Dimension, ...]

    @property
    def work_group(self) -> tuple[int, int, int]:
        """Its size along x, y and z."""
        threads = {d.axis: d.threads for d in self.dimensions}
        return threads.get(0, 1), threads.get(1, 1), threads.get(2, 1)


@dataclass(frozen=True, slots=True)
class Partition:
    """A region cut for one device. `diagnostics` are share hints that can't be honoured."""

    mapping: Mapping
    device: Device
    nests: tuple[NestPartition, ...]
    diagnostics: tuple[Diagnostic, ...]
