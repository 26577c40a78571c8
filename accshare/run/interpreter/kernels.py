"""One launch of a kernel, a batch of work-groups after the other."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from accshare.frontend.ir import INT, Assign, IntLit, Subscript, Var
from accshare.kernel.ir import Barrier, Buffer, Fence, KernelFunction, LocalBuffer, Private, parts
from accshare.records import dataclass, replace
from accshare.run.dtypes import AnyArray, dtype_of
from accshare.run.evaluate import Values
from accshare.run.interpreter.arithmetic import Value
from accshare.run.interpreter.lanes import Lanes, batches
from accshare.run.interpreter.memory import Accesses, Kind, Memory, Watch, granule
from accshare.run.interpreter.record import Record
from accshare.run.interpreter.results import Coordinates
from accshare.run.interpreter.shadow import Shadow
from accshare.run.interpreter.statements import Executor, is_memory
from accshare.run.interpreter.vectors import lanes_of
from accshare.source import Span

_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """A kernel with its arguments: `memory` by parameter name, `values` by `Symbol.unique`."""

    kernel: KernelFunction
    groups: Coordinates
    memory: Mapping[str, Memory]
    values: Mapping[str, Value]

    def run(self, record: Record, *, check: bool) -> None:
        """Runs all work-groups; `check` looks for races and for local memory that was never written."""
        memory = self._watched() if check else dict(self.memory)
        for lanes in batches(self.groups, self.kernel.work_group, record.device.simd_width):
            _Groups(self, memory, lanes, record, check=check).run()

    def _watched(self) -> dict[str, Memory]:
        """Global memory under watch, where the kernel writes it."""
        writes = {p.name for p in self.kernel.params if isinstance(p, Buffer) and p.writes}
        barriers = (p for stmt in self.kernel.body for p in parts(stmt) if isinstance(p, Barrier))
        ordered = any(barrier.fence is not Fence.LOCAL for barrier in barriers)
        result = {}
        for name, memory in self.memory.items():
            if name in writes:
                grain = granule(memory.element)
                cells = len(memory.data) // grain
                groups = Shadow.of(cells) if ordered else None
                memory = replace(memory, watch=Watch(grain, Shadow.of(cells), groups, None))
            result[name] = memory
        return result


class _Groups(Executor):
    """Some work-groups of a launch."""

    def __init__(
        self, launch: KernelLaunch, memory: Mapping[str, Memory], lanes: Lanes, record: Record, *, check: bool
    ) -> None:
        kernel = launch.kernel
        group = np.repeat(lanes.numbers, lanes.per_group)
        accesses = Accesses(kernel.name, lanes, record, group, lanes.launch_item())
        super().__init__(accesses, {f.name: f for f in kernel.functions}, kernel.span)
        self._kernel = kernel
        self._total = prod(launch.groups) * lanes.per_group
        self.values.update(launch.values)
        self.memory.update(memory)
        for local in kernel.local:
            self.memory[local.symbol.unique] = _local(local, lanes, check=check)
        for private in kernel.private:
            if private.lengths or is_memory(private.element):
                count = prod(private.lengths) * _times(private, launch.values)
                self.private(private.symbol, count * dtype_of(private.element).itemsize * lanes_of(private.element))
            else:
                self.declare(private.symbol)

    def run(self) -> None:
        """Runs the kernel's body."""
        with np.errstate(all="ignore"):
            for private in self._kernel.private:
                self.block(_filled(private), self.accesses.lanes.present)
            self.block(self._kernel.body, self.accesses.lanes.present)

    def barrier(self, fence: object, mask: AnyArray) -> None:
        lanes = self.accesses.lanes
        reached = self.accesses.record.barrier(self._kernel.name, self.span, lanes, mask)
        for memory in self.memory.values():
            if memory.watch is None:
                continue
            if memory.kind is Kind.LOCAL and fence is not Fence.GLOBAL:
                cells = np.arange(len(memory.watch.items.writer)).reshape(len(reached), -1)
                memory.watch.items.forget(slice(None) if reached.all() else cells[reached].ravel())
            elif memory.kind is Kind.GLOBAL and fence is not Fence.LOCAL:
                who = np.zeros(self._total, dtype=np.bool_)
                who[self.accesses.item[np.repeat(reached, lanes.per_group)]] = True
                memory.watch.items.forget_those(who)


def _times(private: Private, values: Mapping[str, AnyArray]) -> int:
    """How many elements each one of an array stands for."""
    if private.times is None:
        return 1
    known = {name: value.item() for name, value in values.items() if value.size == 1}
    return Values(known).integer(private.times)


def _local(local: LocalBuffer, lanes: Lanes, *, check: bool) -> Memory:
    size = prod(local.lengths) * dtype_of(local.element).itemsize
    groups = len(lanes.numbers)
    grain = granule(local.element)
    cells = groups * size // grain
    watch = Watch(grain, Shadow.of(cells), None, np.zeros(cells, dtype=np.bool_)) if check else None
    data, bases = np.full(groups * size, 0xFF, dtype=np.uint8), lanes.group_number() * size
    name = local.symbol.unique
    return Memory(Kind.LOCAL, name, name, local.element, data, bases, 0, size, max(grain, local.alignment), watch)


def _filled(table: Private) -> tuple[Assign, ...]:
    """The assignments that give an array of constants its values."""
    whole = Var(table.symbol, _NOWHERE)
    return tuple(
        Assign(Subscript(whole, IntLit(k, INT, _NOWHERE), table.element, _NOWHERE), "=", value, _NOWHERE)
        for k, value in enumerate(table.values)
    )
