"""Keeps what happens while kernels are interpreted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from accshare.device import Device
from accshare.records import dataclass, field
from accshare.run.dtypes import AnyArray
from accshare.run.interpreter.lanes import Lanes
from accshare.run.interpreter.results import BankConflict, Coordinates, Count, Fault, FaultKind, Run
from accshare.run.interpreter.warps import bank_degrees, transactions
from accshare.run.memory import Section
from accshare.source import Span


@dataclass(slots=True)
class _Traffic:
    """`Count` while it grows."""

    local: bool
    loads: int = 0
    stores: int = 0
    transactions: int = 0


@dataclass(slots=True)
class _Meetings:
    """`BankConflict` while it grows."""

    degree: int = 0
    group: Coordinates = (0, 0, 0)
    items: tuple[Coordinates, Coordinates] = ((0, 0, 0), (0, 0, 0))
    accesses: int = 0
    requests: int = 0


@dataclass(slots=True)
class Record:
    """What one execution of a region has done so far."""

    device: Device
    faults: dict[tuple[FaultKind, str, Span, str], Fault] = field(default_factory=dict)
    meetings: dict[tuple[str, Span, str, bool], _Meetings] = field(default_factory=dict)
    traffic: dict[tuple[str, str], _Traffic] = field(default_factory=dict)
    barriers: dict[str, int] = field(default_factory=dict)

    def fault(
        self, kind: FaultKind, kernel: str, span: Span, memory: str, element: int, lanes: Lanes, who: tuple[int, ...]
    ) -> None:
        """Notes a fault of the work-items numbered `who` in their launch, if it is the statement's first."""
        key = (kind, kernel, span, memory)
        if key not in self.faults:
            groups = tuple(lanes.group_place(number // lanes.per_group) for number in who)
            items = tuple(lanes.item_place(number) for number in who)
            self.faults[key] = Fault(kind, kernel, span, memory, element, groups, items)

    def count(self, kernel: str, memory: str, *, local: bool, store: bool, items: int) -> _Traffic:
        """Counts elements that are loaded or stored."""
        traffic = self.traffic.setdefault((kernel, memory), _Traffic(local))
        if store:
            traffic.stores += items
        else:
            traffic.loads += items
        return traffic

    def global_access(
        self,
        kernel: str,
        memory: str,
        lanes: Lanes,
        offsets: AnyArray,
        active: AnyArray,
        size: tuple[int, int],
        *,
        store: bool,
    ) -> None:
        """Counts an access at `offsets` from the array's start, one for all lanes or one a lane.

        `size` is in bytes and in elements.
        """
        traffic = self.count(kernel, memory, local=False, store=store, items=size[1] * int(active.sum()))
        rows = active.reshape(-1, lanes.warp)
        if offsets.ndim == 0:
            traffic.transactions += int(rows.any(axis=1).sum())
        else:
            segment = self.device.transaction_bytes
            traffic.transactions += transactions(offsets.reshape(rows.shape), rows, size[0], segment)

    def local_access(
        self,
        kernel: str,
        memory: str,
        lanes: Lanes,
        offsets: AnyArray,
        active: AnyArray,
        size: tuple[int, int],
        *,
        store: bool,
        span: Span,
    ) -> None:
        """Counts an access to local memory, with the conflicts in its banks."""
        traffic = self.count(kernel, memory, local=True, store=store, items=size[1] * int(active.sum()))
        shape = (-1, lanes.warp)
        degrees = bank_degrees(offsets.reshape(shape), active.reshape(shape), size[0], self.device)
        traffic.transactions += int(degrees.sum())
        met = self.meetings.setdefault((kernel, span, memory, store), _Meetings())
        met.requests += int((degrees > 0).sum())
        met.accesses += int((degrees > 1).sum())
        worst = int(degrees.argmax()) if len(degrees) else 0
        if len(degrees) and degrees[worst] > met.degree:
            first = worst * (lanes.count // len(degrees))
            last = first + lanes.count // len(degrees) - 1
            met.degree = int(degrees[worst])
            met.group = lanes.group_place(int(lanes.numbers[first // lanes.per_group]))
            met.items = (lanes.item_place(first), lanes.item_place(last))

    def barrier(self, kernel: str, span: Span, lanes: Lanes, mask: AnyArray) -> AnyArray:
        """A barrier that the lanes in `mask` reach; which groups do, one entry a group."""
        here = mask.reshape(-1, lanes.per_group)
        away = lanes.present.reshape(here.shape) & ~here
        reached: AnyArray = np.asarray(here.any(axis=1))
        self.barriers[kernel] = self.barriers.get(kernel, 0) + int(reached.sum())
        split: AnyArray = np.asarray(reached & away.any(axis=1))
        if split.any():
            group = int(np.argmax(split))
            who = int(lanes.numbers[group]) * lanes.per_group + int(np.argmax(away[group]))
            self.fault(FaultKind.DIVERGENCE, kernel, span, "", 0, lanes, (who,))
        return reached

    def finished(self, memory: Mapping[str, Section]) -> Run:
        """The execution's result."""
        conflicts = (
            BankConflict(kernel, span, name, store, m.degree, m.group, m.items, m.accesses, m.requests)
            for (kernel, span, name, store), m in self.meetings.items()
            if m.degree > 1
        )
        counts = (
            Count(kernel, name, t.local, t.loads, t.stores, t.transactions)
            for (kernel, name), t in self.traffic.items()
        )
        return Run(memory, tuple(self.faults.values()), tuple(conflicts), tuple(counts), dict(self.barriers))
