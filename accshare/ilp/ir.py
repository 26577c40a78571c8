"""What the ilp stage produces: how many iterations a work-item runs side by side."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from accshare.banks.ir import NestPlacement, Placement
from accshare.partition.ir import Partition

#: loops with at most this many iterations are unrolled
UNROLLED = 16


@dataclass(frozen=True, slots=True)
class CacheSetConflict:
    """Rows of arrays that lie a multiple of `bytes` apart have the same few places in a cache: `rows` at once there."""

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Inner:
    """Vectors of `lanes` along innermost loops whose iterations may run in any order (`schedule.ir.Role.REASSOCIABLE`).

    They run for `rows` along y by `columns` along x at once, which share what they load, where such loops have at least
    `long` iterations; `chains` vectors at a time for one alone.
    """

    rows: int
    columns: int
    lanes: int
    chains: int
    long: int


@dataclass(frozen=True, slots=True)
class Block:
    """The iterations of its tile that a work-item of a CPU runs at once: `rows` along y by `vectors` of `lanes` along
    x. `conflict` is set for stencils, whose rows load what their neighbours load. Where there is an `inner` one and its
    vectors can be had, it counts instead."""

    rows: int
    vectors: int
    lanes: int
    conflict: CacheSetConflict | None = None
    inner: Inner | None = None


@dataclass(frozen=True, slots=True)
class NestPlan:
    """A kernel as it will be generated: `placement` holds its final tiles and work-group.

    `factors` are the iterations of one work-item along x, y, z (the ILP factor is their product), `registers` the
    32-bit registers reckoned for it, `local_bytes` what a work-group has in local memory, `resident` the work-items a
    compute unit then holds. `why` says in a few words why no more, or why none. `block` is what a work-item of a CPU
    runs at once; None leaves that to the OpenCL compiler. `scalar` says why a CPU's block has no vectors, "" where it
    has or the device is no CPU.
    """

    placement: NestPlacement
    factors: tuple[int, int, int]
    registers: int = field(compare=False)
    local_bytes: int = field(compare=False)
    resident: int = field(compare=False)
    why: str = field(compare=False)
    block: Block | None = None
    scalar: str = field(compare=False, default="")


@dataclass(frozen=True, slots=True)
class Plan:
    """A region's kernels with all decisions made for one device."""

    placement: Placement = field(repr=False)
    nests: tuple[NestPlan, ...]

    @property
    def partition(self) -> Partition:
        """The partition with every kernel's final sizes."""
        return replace(self.placement.partition, nests=tuple(nest.placement.partition for nest in self.nests))
