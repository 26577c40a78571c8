"""The model of a device: the figures every decision is derived from."""

from __future__ import annotations

import enum

from accshare.records import dataclass

#: work-items in a group that combines; more wait for one another longer than they add up
_GATHERING = 256
#: of the work-items that a GPU's unit holds, the part that keeps it busy
_BUSY = 4
#: cycles of a launch: about a microsecond for threads that wait for it, ten where OpenCL is between
_LAUNCH = {(True, False): 3_000, (False, False): 30_000, (False, True): 10_000}
#: groups that a CPU's core is dealt
_DEALT = 4


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
    on. `lanes` are the instructions that a GPU's compute unit starts in a clock, counted by work-item, and
    `load_cache_bytes` is its own cache for what it loads from global memory, 0 where loads pass it by; one that is
    larger than local memory has what that leaves of it. Global memory lies in `channels` of `channel_bytes` each in
    turn; 1 and 0 where that is not known, or addresses are scattered over them. `native` says that kernels are C, which
    the host compiler compiles for the instruction set `isa`, empty for the one it compiles the rest of the program for;
    `fuses`, that this multiplies and adds vectors in one step. `l1_bytes`, `l2_bytes` and `l3_bytes` are what one
    compute unit has of a CPU's caches while all are busy, its part of those it shares; 0 for GPUs, and where there is
    no third one. `sound_barriers` tells that an OpenCL implementation compiles its kernels that is known to take
    barriers for what they are, beside any condition (`accshare.target`). In `lockstep`, work-items of a group run side
    by side, `simd_width` at a time, and a unit has several groups in turn; elsewhere it runs one work-item after the
    other.
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
    lanes: int = 128
    load_cache_bytes: int = 0
    l1_bytes: int = 0
    l2_bytes: int = 0
    l3_bytes: int = 0
    sound_barriers: bool = False
    lockstep: bool = True
    native: bool = False
    isa: str = ""
    fuses: bool = False

    @property
    def launch_cycles(self) -> int:
        """Cycles that pass between two launches that need each other."""
        return _LAUNCH[self.native, self.lockstep]

    @property
    def gathering_width(self) -> int:
        """Work-items that are best put to combining what the groups of a kernel have left."""
        return min(_GATHERING, self.max_work_group) if self.lockstep else 1

    @property
    def busy_items(self) -> int:
        """Work-items that keep a compute unit busy, which has them in lockstep."""
        return self.max_threads_per_unit // _BUSY

    @property
    def own_tables(self) -> bool:
        """Whether tables of constants are better had by each work-item: in lockstep, each would have them in memory."""
        return not self.lockstep

    def held_groups(self, items: int) -> int:
        """Groups of so many work-items that a compute unit has at a time."""
        return max(1, self.max_threads_per_unit // items) if self.lockstep else 1

    def dealt_groups(self, items: int) -> int:
        """Groups of so many work-items that all the work is dealt to on a compute unit: as many as it holds, and some
        where it holds one, so that a late unit leaves work to others."""
        return self.held_groups(items) if self.lockstep else _DEALT
