"""What an interpreted region did: its memory, its traffic, and what is wrong with its kernels."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from accshare.records import dataclass
from accshare.run.memory import Section
from accshare.source import Span

#: a work-group's or work-item's place along x, y, z
Coordinates = tuple[int, int, int]


class FaultKind(enum.Enum):
    """What no kernel may do."""

    RACE = "data race"
    BOUNDS = "access out of bounds"
    UNINITIALISED = "local memory read before it is written"
    ALIGNMENT = "vector that is not aligned"
    DIVERGENCE = "barrier that not all work-items of a group reach"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first time a statement does it.

    `memory` is the buffer's name in the kernel and `element` the subscript in it (of the user's array for global
    memory); both are empty for a barrier. `groups` and `items` tell who: for a race the one that comes second first,
    for a barrier the first work-item that stays away. `items` count within their groups.
    """

    kind: FaultKind
    kernel: str
    span: Span
    memory: str
    element: int
    groups: tuple[Coordinates, ...]
    items: tuple[Coordinates, ...]

    def __str__(self) -> str:
        who = ", ".join(
            f"work-item {item} of group {group}" for item, group in zip(self.items, self.groups, strict=True)
        )
        where = f" at {self.memory}[{self.element}]" if self.memory else ""
        return f"{self.kernel}: {self.kind.value}{where}: {who}"


@dataclass(frozen=True, slots=True)
class BankConflict:
    """A reference to local memory in which work-items of a warp meet in a bank.

    `degree` is how many words the busiest bank had to deliver at worst, `group` and `items` where: the work-group, and
    the first and last work-item of the warp. `accesses` of `requests` warp-wide requests met at all.
    """

    kernel: str
    span: Span
    memory: str
    store: bool
    degree: int
    group: Coordinates
    items: tuple[Coordinates, Coordinates]
    accesses: int
    requests: int


@dataclass(frozen=True, slots=True)
class Count:
    """Traffic of one kernel with one buffer, over all launches.

    `loads` and `stores` count elements, one for each active work-item. `transactions` are what they take of global
    memory; of local memory, the words that the banks deliver one after the other.
    """

    kernel: str
    memory: str
    local: bool
    loads: int
    stores: int
    transactions: int


@dataclass(frozen=True, slots=True)
class Run:
    """A region's execution. `memory` is that of each datum afterwards; `barriers` counts, by kernel, a barrier once for
    each work-group that reaches it."""

    memory: Mapping[str, Section]
    faults: tuple[Fault, ...]
    conflicts: tuple[BankConflict, ...]
    counts: tuple[Count, ...]
    barriers: Mapping[str, int]

    def traffic(self, memory: str, kernel: str | None = None) -> Count:
        """A buffer's traffic with all kernels, or with one of them."""
        mine = [c for c in self.counts if c.memory == memory and kernel in (None, c.kernel)]
        local = any(c.local for c in mine)
        loads, stores = sum(c.loads for c in mine), sum(c.stores for c in mine)
        return Count(kernel or "", memory, local, loads, stores, sum(c.transactions for c in mine))
