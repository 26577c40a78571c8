"""What an order of loops costs on a device, in figures.

The model looks at a nest as if it had been written in that order, wherever the order came from: the outermost parallel
loops of each part are a kernel's grid, loops around them launch it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TypeAlias

from accshare.device.model import Device
from accshare.frontend.ir import Scalar
from accshare.grain import runs_long
from accshare.operations import operations
from accshare.order.bands import ELEMENTS, steps_at_once
from accshare.order.facts import Facts
from accshare.order.ir import Figures
from accshare.order.lines import Reference, distinct, references, total
from accshare.order.nests import has_tile, written
from accshare.order.sizes import Sizes
from accshare.poly.ir import LoopNode, Mode, Statement
from accshare.records import dataclass, replace

#: rows that a work-item keeps in registers, and vectors in each
_ROWS, _VECTORS = 4, 2
#: sides of a tile of iterations that caches are used by
_SIDES = (32, 64, 128, 256)
#: iterations of each of its loops for which a GPU's group loads once
_SHARED = 16
#: instructions for a vector of every other element
_PICKED = 3
#: cycles from an operation on numbers of a kind to one that needs its result, by whether they are floating ones; every
#: other operation of a statement is one of those that wait
_LATENCY = {False: 1, True: 4}
_WAITING = 2
#: cycles from a store to a load of the same element
_THROUGH = 5
#: instructions on vectors that a core begins in a cycle, and warps of which a GPU's unit takes one
_ISSUED = {False: 2, True: 4}
#: other instructions that a core begins in a cycle
_SCALARS = 4
#: rows of a GPU's group whose work-items share loops, and cycles that one of its barriers takes
_ROWS_OF_GROUP, _BARRIER = 8, 32
#: how much slower each level of memory is than the one before
_FARTHER = 4
#: how much longer a GPU's work-item takes alone than a core
_ALONE = 30
#: the least that caches of CPUs have had for long
_FIRST, _SECOND = 32 << 10, 256 << 10

#: loops by `LoopNode.index`, outermost first, with their iterations; one that is cut occurs twice
_Loops: TypeAlias = "list[tuple[int, float]]"


@dataclass(frozen=True, slots=True)
class _Part:
    """What runs in so many launches, or without any one iteration after the other."""

    launches: float
    parallel: float
    lines: float
    cycles: float


def figures(facts: Facts, sizes: Sizes, nest: tuple[Statement, ...], depth: int, device: Device) -> Figures:
    """Those of a nest of the loops from `depth` on."""
    parts = tuple(_Model(facts, sizes, device).parts(nest, depth))
    longest = max(parts, key=lambda part: part.cycles)
    launches, lines, cycles = (
        sum(each) for each in zip(*((p.launches, p.lines, p.cycles) for p in parts), strict=True)
    )
    return Figures(float(launches), float(longest.parallel), lines, cycles)


class _Model:
    """One order of a region's loops on one device."""

    def __init__(self, facts: Facts, sizes: Sizes, device: Device) -> None:
        self._facts = facts
        self._sizes = sizes
        self._device = device
        near = (device.l1_bytes or _FIRST, device.l2_bytes or _SECOND)
        self._levels = (*near, device.l3_bytes) if device.l3_bytes > near[-1] else near
        self._known: dict[str, tuple[Reference, ...]] = {}

    def _references(self, statement: Statement) -> tuple[Reference, ...]:
        if statement.name not in self._known:
            self._known[statement.name] = references(statement)
        return self._known[statement.name]

    def parts(self, statements: tuple[Statement, ...], depth: int) -> Iterator[_Part]:
        """What runs in an iteration of the loops down to `depth`. Where anything is parallel, what is not runs in
        launches, too; elsewhere on the host."""
        runs = groupby(statements, lambda s: s.loops[depth].index if len(s.loops) > depth else None)
        found = [tuple(self._step(tuple(run), depth)) for _, run in runs]
        launched = any(part.launches for parts in found for part in parts)
        for serial, steps in groupby(found, lambda parts: not any(part.launches for part in parts)):
            inside = [part for parts in steps for part in parts]
            if not (serial and launched):
                yield from inside
                continue
            each = self._sizes.runs(statements[0].loops[:depth])
            alone = _ALONE if self._device.lockstep else 1
            cycles = each * self._device.launch_cycles + alone * sum(part.cycles for part in inside)
            yield _Part(each, 1, sum(part.lines for part in inside), cycles)

    def _step(self, inside: tuple[Statement, ...], depth: int) -> Iterator[_Part]:
        if len(inside[0].loops) == depth:
            for statement in inside:
                yield self._serial(statement)
            return
        source = written(self._facts, inside, depth, combined=True)
        if source.grid:
            yield self._kernel(inside, depth, source.order[: source.grid])
        else:
            yield from self._in_bands(inside, depth, tuple(self.parts(inside, depth + 1)))

    def _in_bands(self, inside: tuple[Statement, ...], depth: int, sweeps: tuple[_Part, ...]) -> tuple[_Part, ...]:
        """What a loop's iterations launch, where a GPU's groups have bands of elements and run several iterations at
        once (`mapping.gpu.bands`)."""
        device = self._device
        launched = device.lockstep and all(sweep.launches for sweep in sweeps)
        count = steps_at_once(self._facts, inside, depth) if launched else 1
        if count == 1:
            return sweeps
        times = self._sizes.runs(inside[0].loops[: depth + 1])
        found = []
        for sweep in sweeps:
            bands = max(1.0, sweep.parallel / ELEMENTS)
            before, after = (
                min(float(device.compute_units), items / device.busy_items)
                for items in (sweep.parallel, bands * device.gathering_width)
            )
            launches = 2 * times / count / len(sweeps)
            spent = (sweep.cycles - sweep.launches * device.launch_cycles) * before + times * bands * _BARRIER
            found.append(replace(sweep, launches=launches, cycles=launches * device.launch_cycles + spent / after))
        return tuple(found)

    def _serial(self, statement: Statement) -> _Part:
        """A statement whose iterations run one after the other."""
        times, every = self._sizes.count(statement), self._references(statement)
        work = operations(statement.body, True)
        issued = (work + len(every)) / _SCALARS
        ends = ({a.reference for a in statement.accesses if a.mode is mode and a.subscripts} for mode in Mode)
        through = _THROUGH if set.intersection(*ends) else 0
        loops = statement.loops
        order = [(loop.index, self._sizes.trips(loops[: k + 1])) for k, loop in enumerate(loops)]
        lines, waiting = self._moved(every, [order], times)
        return _Part(0, 1, lines, times * max(issued, _latency(statement), through) + waiting)

    def _kernel(self, inside: tuple[Statement, ...], depth: int, grid: tuple[LoopNode, ...]) -> _Part:
        """The statements of a kernel, the grid of which has some loops from `depth` on."""
        around = inside[0].loops[:depth]
        launches = self._sizes.runs(around)
        parallel = self._sizes.runs((*around, *grid)) / max(launches, 1.0)
        if not self._device.lockstep and len(grid) == 1 and runs_long(inside, depth + 1):
            lines, spent = self._each_alone(inside, depth, grid)
            spread = min(float(self._device.compute_units), max(1.0, parallel))
            return _Part(launches, parallel, lines, launches * self._device.launch_cycles + spent / spread)
        every = [r for s in inside for r in self._references(s)]
        along = max(grid, key=lambda loop: (sum(r.is_along(loop) for r in every), loop.depth))
        width = self._width(every, self._sizes.trips((*around, *grid[: grid.index(along) + 1])))
        shape = _Shape(depth, grid, along, width)
        shapes = {s.name: shape if has_tile(s, inside, grid) else replace(shape, rows=1) for s in inside}
        lines, spent = self._spent(inside, shapes)
        units = self._device.compute_units
        busy = parallel / (self._device.busy_items if self._device.lockstep else width)
        spread = min(float(units), busy if self._device.lockstep else max(1.0, busy))
        plain = _Part(launches, parallel, lines, launches * self._device.launch_cycles + spent / spread)
        phased = self._in_phases(inside, plain, shape) if self._device.lockstep else None
        return plain if phased is None or plain.cycles <= phased.cycles else phased

    def _spent(self, inside: tuple[Statement, ...], shapes: dict[str, _Shape]) -> tuple[float, float]:
        """The lines of a kernel's statements and the cycles of one unit, each statement having a shape."""
        spent = lines = 0.0
        known: set[tuple[object, ...]] = set()
        for statement in inside:
            refs = self._references(statement)
            new = tuple(r for r in refs if r.moved not in known)
            known |= {r.moved for r in refs}
            moved, cycles = self._run(statement, refs, new, shapes[statement.name])
            lines, spent = lines + moved, spent + cycles
        return lines, spent

    def _each_alone(self, inside: tuple[Statement, ...], depth: int, grid: tuple[LoopNode, ...]) -> tuple[float, float]:
        """The lines and the cycles of one core where iterations run long: they have no vectors but those that compilers
        find along their innermost loops."""
        lines = spent = 0.0
        for statement in inside:
            refs, loop = self._references(statement), statement.loops[-1]
            near = all(r.is_near(loop) for r in refs if r.moves(loop))
            if near and loop in self._shareable(statement, inside, depth + 1):
                width = self._width(list(refs), self._sizes.trips(statement.loops))
                each = self._run(statement, refs, refs, _Shape(depth, grid, loop, width, 1))
            else:
                serial = self._serial(statement)
                each = serial.lines, serial.cycles
            lines, spent = lines + each[0], spent + each[1]
        return lines, spent

    def _in_phases(self, inside: tuple[Statement, ...], plain: _Part, shape: _Shape) -> _Part | None:
        """The same where the work-items of a GPU's group share loops inside of the grid's (`mapping.gpu.superpose`)."""
        shapes: dict[str, _Shape] = {}
        barriers, first = 0.0, shape.depth + len(shape.grid)
        for statement in inside:
            shared = max(self._shareable(statement, inside, first), key=self._coalescing(statement), default=None)
            if shared is None and len(statement.loops) > first:
                return None
            around = statement.loops[: first if shared is None else shared.depth]
            trips = 1.0 if shared is None else self._sizes.trips(statement.loops[: shared.depth + 1])
            width = max(1.0, min(float(self._device.simd_width), trips))
            shapes[statement.name] = _Shape(shape.depth, shape.grid, shared or shape.along, width)
            barriers += self._sizes.runs(around) / _ROWS_OF_GROUP
        lines, spent = self._spent(inside, shapes)
        parallel = plain.parallel * max(one.width for one in shapes.values())
        spread = min(float(self._device.compute_units), parallel / self._device.busy_items)
        cycles = plain.launches * self._device.launch_cycles + (spent + barriers * _BARRIER) / spread
        return _Part(plain.launches, parallel, lines, cycles)

    def _shareable(self, statement: Statement, inside: tuple[Statement, ...], first: int) -> Iterator[LoopNode]:
        """The loops of a statement from a depth on whose iterations need nothing of one another."""
        for loop in statement.loops[first:]:
            own = tuple(s for s in inside if loop in s.loops)
            between = self._facts.between(own, loop.depth)
            if not any(self._facts.is_hard(d, loop) for d in between):
                yield loop

    def _coalescing(self, statement: Statement) -> Callable[[LoopNode], int]:
        refs = self._references(statement)
        return lambda loop: sum(r.is_along(loop) for r in refs)

    def _width(self, every: list[Reference], trips: float) -> float:
        """Iterations that run side by side in a vector or a warp."""
        lanes = self._device.simd_width
        if not self._device.lockstep:
            lanes = lanes * 4 // min(lanes * 4, max((r.bytes for r in every if r.bytes <= 8), default=4))
        return max(1.0, min(float(lanes), trips))

    def _run(
        self, statement: Statement, refs: tuple[Reference, ...], new: tuple[Reference, ...], shape: _Shape
    ) -> tuple[float, float]:
        """The lines of a statement in a kernel, the `new` ones of those that are not there for another's sake, and the
        cycles of one unit."""
        device = self._device
        times = self._sizes.count(statement)
        begun = operations(statement.body, True) / shape.width
        inner = statement.loops[shape.depth + len(shape.grid) :]
        if device.lockstep:
            lines = times * sum(self._part(r, statement, shape) * shape.transactions(r, device) for r in new)
            begun += len(refs) / shape.width
            return lines, times * begun / _ISSUED[True] + lines * device.transaction_bytes / device.cache_bandwidth
        begun += sum(self._part(r, statement, shape) * shape.loads(r, inner) for r in refs)
        lines, waiting = self._moved(new, list(self._orders(statement, inner, shape)), times)
        chain = _latency(statement) / shape.width if self._waits(statement, inner) else 0.0
        return lines, times * max(begun / _ISSUED[False], chain) + waiting

    def _waits(self, statement: Statement, inner: tuple[LoopNode, ...]) -> bool:
        """Whether an iteration of loops inside a kernel needs what the one before it left, other than to add to it."""
        own = self._facts.between((statement,), 0) if inner else ()
        return any(self._facts.is_hard(d, loop) and not self._facts.combines(d) for loop in inner for d in own)

    def _part(self, reference: Reference, statement: Statement, shape: _Shape) -> float:
        """How many of a reference's iterations access memory: in others the element is in a register, or in what a
        group of work-items shares."""
        loops, part = statement.loops, 1.0
        inside = shape.depth + len(shape.grid)
        for k in reversed(range(inside, len(loops))):
            if reference.moves(loops[k]):
                break
            part /= max(1.0, self._sizes.trips(loops[: k + 1]))
        if len(loops) == inside or len(shape.grid) < 2:
            return part
        others = any(not reference.moves(loop) for loop in shape.grid if loop is not shape.along)
        lockstep = self._device.lockstep
        part /= (_SHARED if lockstep else shape.rows) if others else 1
        return part / ((_SHARED if lockstep else _VECTORS) if not reference.moves(shape.along) else 1)

    def _orders(self, statement: Statement, inner: tuple[LoopNode, ...], shape: _Shape) -> Iterator[_Loops]:
        """The loops as a core runs them, those of a tile innermost: as wide as its registers, or, where several loops
        share what one inside brings, as suits a cache."""
        loops = statement.loops
        trips = {loop.index: self._sizes.trips(loops[: k + 1]) for k, loop in enumerate(loops)}
        outside = [(n.index, trips[n.index]) for n in loops[: shape.depth]]
        inside = [(n.index, trips[n.index]) for n in inner]
        own = [n.index for n in sorted(shape.grid, key=lambda n: n is shape.along)]
        tiled = bool(inner) and len(shape.grid) > 1
        tile = {k: shape.width * _VECTORS if k == shape.along.index else _ROWS if tiled else 1 for k in own}
        yield [*outside, *_tiles(own, trips, tile), *inside, *_within(own, trips, tile)]
        for side in _SIDES if tiled else ():
            every = [*own, *(index for index, _ in inside)]
            tile = dict.fromkeys(every, float(side))
            yield [*outside, *_tiles(every, trips, tile), *_within(every, trips, tile)]

    def _moved(self, refs: tuple[Reference, ...], orders: list[_Loops], times: float) -> tuple[float, float]:
        """The lines that come from the farthest memory, and the cycles that all lines take that are not at hand, each
        level of memory having the order that suits it best."""
        line, waiting, lines = self._device.transaction_bytes, 0.0, 0.0
        own = distinct(refs)
        grown = [tuple(_growing(own, order, max(self._levels), line)) for order in orders]
        for level, room in enumerate(self._levels):
            lines = min(_crossing(steps, room, line, times) for steps in grown)
            waiting += lines * line / self._device.cache_bandwidth * _FARTHER ** (level + 1)
        return lines, waiting


def _latency(statement: Statement) -> float:
    """Cycles from what one iteration needs to what the next one gets."""
    stored = [a.variable.element for a in statement.accesses if a.mode is Mode.WRITE]
    each = max((_LATENCY[isinstance(t, Scalar) and t.floating] for t in stored), default=0)
    return operations(statement.body, True) * each / _WAITING


def _growing(refs: tuple[Reference, ...], order: _Loops, most: int, line: int) -> Iterator[tuple[float, float]]:
    """The lines that loops touch and the iterations of all of them, of none and with one more each time from inside
    out, until that is more than the largest cache has."""
    extents: dict[int, float] = {}
    lines, inside = total(refs, {}, line), 1.0
    yield lines, inside
    for index, trips in reversed(order):
        if lines * line > most:
            break
        extents[index] = extents.get(index, 1.0) * trips
        lines, inside = total(refs, extents, line), inside * trips
        yield lines, inside


def _crossing(grown: tuple[tuple[float, float], ...], room: int, line: int, times: float) -> float:
    """The lines that loops bring into a cache. An iteration finds what the one before came to, if that fits."""
    lines, inside = next((step for step in grown if step[0] * line > room), grown[-1])
    return lines * max(1.0, times / inside)


def _tiles(loops: list[int], trips: dict[int, float], tile: dict[int, float]) -> _Loops:
    return [(k, max(1.0, trips[k] / tile[k])) for k in loops]


def _within(loops: list[int], trips: dict[int, float], tile: dict[int, float]) -> _Loops:
    return [(k, min(tile[k], trips[k])) for k in loops]


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a kernel runs the loops from `depth` on: `grid` in parallel, `width` iterations of `along` side by side, and
    in so many `rows` at once."""

    depth: int
    grid: tuple[LoopNode, ...]
    along: LoopNode
    width: float
    rows: int = _ROWS

    def loads(self, reference: Reference, inner: tuple[LoopNode, ...]) -> float:
        """Instructions an iteration for a reference: vectors, or elements one by one. Those of several rows that the
        innermost loop goes along are turned around in registers."""
        if reference.is_along(self.along) or not reference.moves(self.along):
            return 1 / self.width
        if reference.is_near(self.along):
            return _PICKED / self.width
        return 2 / self.width if inner and reference.is_along(inner[-1]) else 1.0

    def transactions(self, reference: Reference, device: Device) -> float:
        """Transactions an iteration for a reference."""
        if reference.is_along(self.along):
            return max(reference.bytes / device.transaction_bytes, 1 / self.width)
        if reference.is_near(self.along):
            return min(1.0, max(2 * reference.bytes / device.transaction_bytes, 1 / self.width))
        return 1.0 if reference.moves(self.along) else 1 / self.width
