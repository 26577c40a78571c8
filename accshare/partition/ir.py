"""What the partition stage produces: tile and work-group sizes for every kernel, and what it keeps in local memory."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.poly.ir import Access, LoopNode, Variable
from accshare.schedule.ir import KernelNest, Schedule


@dataclass(frozen=True, slots=True)
class Dimension:
    """One mapped loop: a work-group takes `tile` consecutive iterations, each of its `threads` work-items every
    `threads`-th of them. Tiles start at multiples of `tile`, so that they are aligned."""

    loop: LoopNode
    axis: int
    tile: int
    threads: int


@dataclass(frozen=True, slots=True)
class Strip:
    """A sequential loop of the kernel (step 1) cut into strips of `size` iterations, which start at multiples of it.
    Local memory is filled anew for every strip, which the work-items of a group run together."""

    loop: LoopNode
    size: int


@dataclass(frozen=True, slots=True)
class Staged:
    """References to one array, or to one member of its structs, that go through local memory; they differ by constants
    only.

    `at` is the loop whose strips load the array anew, or None where a work-group loads it once, on entry. `lengths`
    are those of the rectangular hull (SHARE 3.2.1) of what a work-group touches there, in elements, outermost first.
    `reads` tells that it is loaded from global memory, `writes` that it is stored back. A work-item loads `width`
    elements at once where, when the kernel runs, the array and its rows prove to be aligned to that. `growth` tells,
    for each dimension, by how many elements the hull grows with one more iteration in the tile of a mapped loop or in
    the strip of `at` (by `LoopNode.index`). Of an array of structs, `members` is the path to the scalar that is staged.
    """

    variable: Variable
    accesses: tuple[Access, ...]
    at: LoopNode | None
    lengths: tuple[int, ...]
    reads: bool
    writes: bool
    width: int = 1
    growth: tuple[tuple[tuple[int, int], ...], ...] = ()
    members: tuple[str, ...] = ()


class ArrayRole(enum.Enum):
    """How an array came to be looked at (SHARE 3.2.1)."""

    SEED = "seed"  # named by the hint; every array where there is none
    INFERRED = "inferred"  # shares a dependence with a seed


@dataclass(frozen=True, slots=True)
class ArrayFeature:
    """What the solver knows of a group of references to one array, for the plan it chose (SHARE 3.2.2).

    All figures are for one work-group over the whole kernel: `lengths` and `bytes` are |DS| of one strip, `loaded` the
    elements it copies, `reuse` the references (2) in bytes, `ratio` references an element loaded (compared with
    delta_r, (3)), `transactions` those of (7). `coalesced` says that neighbouring work-items already touch
    neighbouring elements at the same time, (4) and (5). `staged` says that it goes through local memory and `why`
    says in a few words why, or why not.
    """

    variable: Variable
    accesses: tuple[Access, ...]
    role: ArrayRole
    lengths: tuple[int, ...]
    bytes: int
    loaded: int
    reuse: int
    ratio: float
    transactions: int
    coalesced: bool
    staged: bool
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A point of the search space: the value of every parameter by name (``TB_X``, ``TB_Y``, ``TB_Z``, and the user's
    iterator for every strip), what it gains in bytes a work-group (8), the local bytes it takes and how many
    work-items a compute unit then holds. Plans are compared by `gain`, the profit of one iteration a work-item."""

    sizes: tuple[tuple[str, int], ...]
    profit: int
    local_bytes: int
    resident: int
    gain: int


@dataclass(frozen=True, slots=True)
class Solution:
    """How the solver came to a kernel's partition, for reports.

    `plans` are all legal plans, best first, so that ``plans[0]`` is the one taken; empty where nothing can be staged.
    `binding` names the constraint that kept the next larger plan away. `assumed` gives the extents taken for
    parameters whose value is not known, `delta_r` and `delta_s` the thresholds of (3) and (9).
    """

    arrays: tuple[ArrayFeature, ...]
    plans: tuple[Plan, ...]
    binding: str
    assumed: tuple[tuple[str, int], ...]
    delta_r: float
    delta_s: float


@dataclass(frozen=True, slots=True)
class NestPartition:
    """The dimensions of one kernel, outermost loop first; empty for a kernel of one work-item."""

    nest: KernelNest = field(repr=False)
    dimensions: tuple[Dimension, ...]
    strips: tuple[Strip, ...] = ()
    staged: tuple[Staged, ...] = ()
    solution: Solution | None = field(default=None, compare=False, repr=False)

    @property
    def work_group(self) -> tuple[int, int, int]:
        """Its size along x, y and z."""
        threads = {d.axis: d.threads for d in self.dimensions}
        return threads.get(0, 1), threads.get(1, 1), threads.get(2, 1)

    @property
    def packs(self) -> bool:
        """Whether it stages arrays for work-groups of one work-item, as it may on a CPU."""
        return bool(self.staged) and self.work_group == (1, 1, 1)


@dataclass(frozen=True, slots=True)
class Partition:
    """A region cut for one device. `diagnostics` are share hints that can't be honoured."""

    schedule: Schedule
    device: Device
    nests: tuple[NestPartition, ...]
    diagnostics: tuple[Diagnostic, ...]
