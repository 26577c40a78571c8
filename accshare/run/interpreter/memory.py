"""Global, local and private memory as bytes, and the checks that every access passes."""

from __future__ import annotations

import enum
from collections.abc import Callable
from math import gcd
from typing import Any

import numpy as np

from accshare.conversions import size as bytes_of
from accshare.frontend.ir import Array, Struct, Type
from accshare.records import dataclass
from accshare.run.dtypes import AnyArray, dtype_of
from accshare.run.interpreter.arithmetic import Value
from accshare.run.interpreter.lanes import Lanes
from accshare.run.interpreter.record import Record
from accshare.run.interpreter.results import FaultKind
from accshare.run.interpreter.shadow import Shadow
from accshare.source import Span

#: what a shadow notes of an access
Touch = Callable[[Shadow, AnyArray, AnyArray], AnyArray]


class Kind(enum.Enum):
    """Who sees it."""

    GLOBAL = "global"
    LOCAL = "local"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Watch:
    """What is known of each cell of `grain` bytes: which work-items touched it; for global memory that barriers order
    also which work-groups; for local memory whether it was written."""

    grain: int
    items: Shadow
    groups: Shadow | None
    written: AnyArray | None


@dataclass(frozen=True, slots=True)
class Memory:
    """`data` holds the bytes of all its instances: one for the launch, one a work-group, or one a lane.

    The byte at offset o of a lane's instance is ``data[bases + o]``; offsets from `low` to `high` exist, and offset 0
    lies at a multiple of `alignment` bytes. Traffic is counted under the name `report`; subscripts count in `element`.
    """

    kind: Kind
    name: str
    report: str
    element: Type
    data: AnyArray
    bases: AnyArray
    low: int
    high: int
    alignment: int
    watch: Watch | None


@dataclass(frozen=True, slots=True)
class Spot:
    """An object in memory: `offset` in bytes, one for all lanes or one a lane, a multiple of `align`."""

    memory: Memory
    offset: Value
    type: Type
    align: int


def granule(type_: Type) -> int:
    """The largest number of bytes that every scalar of a type covers whole multiples of."""
    match type_:
        case Array(element):
            return granule(element)
        case Struct(fields=fields, bytes=size):
            return gcd(size, *(gcd(f.offset, granule(f.type)) for f in fields))
        case _:
            return dtype_of(type_).itemsize


@dataclass(frozen=True, slots=True)
class Accesses:
    """Loads and stores of one kernel; `group` and `item` number each lane's, `kernel` is its name."""

    kernel: str
    lanes: Lanes
    record: Record
    group: AnyArray
    item: AnyArray

    def load(self, spot: Spot, mask: AnyArray, span: Span, width: int = 1, *, atomic: bool = False) -> Value:
        """Values in memory, vectors of `width` of them; 0 in lanes that are not in `mask` or reach out of bounds. An
        `atomic` load is the begin of a change in one piece."""
        memory, kind = spot.memory, _vector(spot.type, width)
        offset = np.asarray(spot.offset)
        if offset.ndim == 0 and memory.kind is Kind.GLOBAL and memory.watch is None:
            return self._uniform(spot, kind, mask, span, width)
        offset = np.broadcast_to(offset, mask.shape)
        active = self._checked(memory, offset, mask, kind.itemsize, span)
        self._count(memory, offset, active, (kind.itemsize, width), span, store=False)
        whole = bool(active.all())
        positions = _positions(memory, offset, active, whole=whole)
        if memory.watch is not None:
            touch = Shadow.change if atomic else Shadow.read
            self._watch(memory, memory.watch, positions, active, kind.itemsize, span, touch)
        found = _gather(memory.data, positions, kind, spot.align)
        if whole:
            return found
        result = np.zeros(mask.shape, dtype=kind)
        result[active] = found
        return result

    def store(
        self, spot: Spot, value: Value, mask: AnyArray, span: Span, width: int = 1, *, atomic: bool = False
    ) -> None:
        """Writes the lanes in `mask` that stay in bounds; where several write one place, the last one wins."""
        memory, kind = spot.memory, _vector(spot.type, width)
        offset = np.broadcast_to(np.asarray(spot.offset), mask.shape)
        active = self._checked(memory, offset, mask, kind.itemsize, span)
        self._count(memory, offset, active, (kind.itemsize, width), span, store=True)
        positions = _positions(memory, offset, active, whole=bool(active.all()))
        if memory.watch is not None:
            touch = Shadow.change if atomic else Shadow.write
            self._watch(memory, memory.watch, positions, active, kind.itemsize, span, touch)
        _scatter(memory.data, positions, np.broadcast_to(np.asarray(value), mask.shape)[active], kind, spot.align)

    def _uniform(self, spot: Spot, kind: np.dtype[Any], mask: AnyArray, span: Span, width: int) -> Value:
        """A load of one place by all lanes."""
        memory, offset = spot.memory, np.asarray(spot.offset)
        if not memory.low <= offset <= memory.high - kind.itemsize:
            self._checked(memory, np.broadcast_to(offset, mask.shape), mask, kind.itemsize, span)
            return np.zeros((), dtype=kind)[()]
        size = (kind.itemsize, width)
        self.record.global_access(self.kernel, memory.report, self.lanes, offset, mask, size, store=False)
        value: Value = _gather(memory.data, (offset + memory.bases).reshape(1), kind, spot.align)[0]
        return value

    def _checked(self, memory: Memory, offset: AnyArray, mask: AnyArray, size: int, span: Span) -> AnyArray:
        """The lanes in `mask` that are in bounds."""
        bad = mask & ((offset < memory.low) | (offset > memory.high - size))
        if bad.any():
            self._fault(FaultKind.BOUNDS, memory, offset, bad, span)
        return mask & ~bad

    def check_alignment(self, spot: Spot, mask: AnyArray, span: Span, width: int) -> None:
        """A vector of `width` elements lies at a multiple of its size, as a work-item's own do by themselves."""
        if spot.memory.kind is Kind.PRIVATE:
            return
        size = _vector(spot.type, width).itemsize
        bad = mask & ((np.asarray(spot.offset) % size != 0) | bool(spot.memory.alignment % size))
        if bad.any():
            self._fault(FaultKind.ALIGNMENT, spot.memory, np.broadcast_to(spot.offset, mask.shape), bad, span)

    def _fault(self, kind: FaultKind, memory: Memory, offset: AnyArray, bad: AnyArray, span: Span) -> None:
        lane = int(np.argmax(bad))
        element = int(offset[lane]) // bytes_of(memory.element)
        self.record.fault(kind, self.kernel, span, memory.name, element, self.lanes, (int(self.item[lane]),))

    def _count(
        self, memory: Memory, offset: AnyArray, active: AnyArray, size: tuple[int, int], span: Span, *, store: bool
    ) -> None:
        if memory.kind is Kind.GLOBAL:
            self.record.global_access(self.kernel, memory.report, self.lanes, offset, active, size, store=store)
        elif memory.kind is Kind.LOCAL:
            self.record.local_access(
                self.kernel, memory.report, self.lanes, offset, active, size, store=store, span=span
            )

    def _watch(
        self, memory: Memory, watch: Watch, positions: AnyArray, active: AnyArray, size: int, span: Span, touch: Touch
    ) -> None:
        item, group = self.item[active], self.group[active]
        for part in range(max(1, size // watch.grain)):
            cells = positions // watch.grain + part
            sides = [(touch(watch.items, cells, item), 1)]
            if watch.groups is not None:
                sides.append((touch(watch.groups, cells, group), self.lanes.per_group))
            for other, items in sides:
                met = other >= 0
                if met.any():
                    k = int(np.argmax(met))
                    element = (int(positions[k]) - self._base(memory, active, k)) // bytes_of(memory.element)
                    who = (int(item[k]), int(other[k]) * items)
                    self.record.fault(FaultKind.RACE, self.kernel, span, memory.name, element, self.lanes, who)
            if watch.written is not None and touch is Shadow.write:
                watch.written[cells] = True
            elif watch.written is not None and not watch.written[cells].all():
                bad = np.zeros(active.shape, dtype=np.bool_)
                bad[active] = ~watch.written[cells]
                offset = np.zeros(active.shape, dtype=np.int64)
                offset[active] = positions
                self._fault(FaultKind.UNINITIALISED, memory, offset - memory.bases, bad, span)

    @staticmethod
    def _base(memory: Memory, active: AnyArray, k: int) -> int:
        return int(np.broadcast_to(memory.bases, active.shape)[active][k])


def _vector(type_: Type, width: int) -> np.dtype[Any]:
    """Some values side by side, as bytes if there are several."""
    return dtype_of(type_) if width == 1 else np.dtype(f"V{width * dtype_of(type_).itemsize}")


def _positions(memory: Memory, offset: AnyArray, active: AnyArray, *, whole: bool) -> AnyArray:
    if whole:
        positions: AnyArray = offset + memory.bases
        return positions
    bases = memory.bases if memory.bases.ndim == 0 else memory.bases[active]
    chosen: AnyArray = offset[active] + bases
    return chosen


def _gather(data: AnyArray, positions: AnyArray, kind: np.dtype[Any], align: int) -> AnyArray:
    size = kind.itemsize
    if kind.kind != "V" and align % size == 0:
        found: AnyArray = data.view(kind)[positions // size]
        return found
    whole: AnyArray = data[positions[:, None] + np.arange(size)].view(kind)[:, 0]
    return whole


def _scatter(data: AnyArray, positions: AnyArray, values: AnyArray, kind: np.dtype[Any], align: int) -> None:
    size = kind.itemsize
    if kind.kind != "V" and align % size == 0:
        data.view(kind)[positions // size] = values
    else:
        rows = np.ascontiguousarray(values).reshape(-1, 1).view(np.uint8)
        data[positions[:, None] + np.arange(size)] = rows
