"""What a work-group of a GPU does, counted from its references, tiles and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import ceil, prod
from typing import TypeAlias

from accshare.device import Device
from accshare.mapping.gpu.banks.tiles import copy_width
from accshare.mapping.gpu.clocks import GroupWork, clocks
from accshare.mapping.gpu.shapes import Shape, element_bytes
from accshare.mapping.ir import ASSUMED, UNROLLED, NestPlacement, TilePlacement
from accshare.mapping.patterns import AccessPattern, arithmetic, known_trips, patterns_of, trips
from accshare.poly.ir import LoopNode, VariableKind
from accshare.records import dataclass, replace
from accshare.schedule.ir import Staged, memory_written
from accshare.subscripts import AffineReference, affine
from accshare.teams import panels

#: clocks until data is there: from global memory, the cache that all share, a unit's own cache or local memory; and
#: until a result can be used
_GLOBAL, _SHARED, _NEAR, _RESULT = 600, 200, 30, 5
#: loads of one work-item that are under way at a time: of its own, and of those with which it copies
_UNDER_WAY, _UNROLLED = 8, 4
#: instructions around an iteration of a loop, to move an address of 64 bits in one, to find that of an array's row, and
#: around a work-item
_LOOP, _WIDE, _PLACE, _ITEM = 2, 2, 4, 30
#: instructions to copy a vector, to store another element of one that a padded tile has no place for in one piece, and
#: of a work-item to find its team's first row and its own column of it
_COPY, _APART, _BEGIN = 12, 1, 10
#: clocks that a work-group loses at the barriers of a strip
_BARRIERS = 60
#: bytes that a miss moves at least
SECTOR = 32
#: axes along which a work-item has iterations: x, y, z
_AXES = 3
#: iterations of a kernel without loops inside, where nothing tells how many there are; how much larger than what is
#: assumed of lengths a problem may as well be
_MANY, _LARGER = ASSUMED * ASSUMED, 4


@dataclass(frozen=True, slots=True)
class _Reached:
    """References to an array in global memory that differ by constants only: along each dimension, `fixed` elements
    for an iteration, and a number more for each iteration of a mapped loop. A work-group's first use of a line is a
    miss, and with `scattered`, each of its work-items has a line of its own in use."""

    fixed: tuple[int, ...]
    inner: tuple[int, ...]
    along: tuple[tuple[tuple[int, int], ...], ...]
    spacing: int
    scattered: bool

    def bytes(self, sizes: Mapping[int, int]) -> int:
        """The bytes that a work-group moves if its cache keeps them, for tiles of `sizes`."""
        lengths = [own + more for own, more in zip(self._lengths(sizes), self.inner, strict=True)]
        return prod(lengths[:-1]) * _row(lengths[-1], self.spacing)

    def lines(self, sizes: Mapping[int, int], line: int) -> int:
        """The lines that it uses at a time."""
        lengths = self._lengths(sizes)
        return prod(lengths[:-1]) * ceil(lengths[-1] * self.spacing / line)

    def _lengths(self, sizes: Mapping[int, int]) -> list[int]:
        return [
            fixed + sum(weight * (sizes[loop] - 1) for loop, weight in along)
            for fixed, along in zip(self.fixed, self.along, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Extent:
    """How often a mapped loop runs, `exactly` or about so often."""

    trips: int
    exactly: bool

    def tiles(self, size: int) -> float:
        """How many tiles that takes; of a length that is not known, the last one is cut off anywhere."""
        return ceil(self.trips / size) if self.exactly or size == 1 else self.trips / size + 0.5


@dataclass(frozen=True, slots=True)
class _Accesses:
    """What an iteration of a work-item with several accesses: how often, and the clocks that it takes of local memory
    and of the cache; bytes from global memory where nothing is kept, and those of them that are scattered."""

    instructions: float
    local: float
    cache: float
    bytes: float
    scattered: float


@dataclass(frozen=True, slots=True)
class _Copied:
    """What it takes a work-group to fill a tile, or to write it back: the turns of a work-item, instructions of all,
    bytes that pass local memory, as often as banks make them, and bytes of global memory."""

    turns: int
    instructions: int
    local: int
    bytes: int


def _row(elements: int, size: int) -> int:
    """The bytes that a row of elements moves, in whole sectors: one that fills none begins and ends inside of some, as
    those of stencils do."""
    more = (SECTOR - size) * (elements * size % SECTOR != 0)
    return ceil((elements * size + more) / SECTOR) * SECTOR


@dataclass(frozen=True, slots=True)
class Time:
    """What bounds a launch, the clocks that it takes, those for an iteration, and the bytes that an iteration moves."""

    bound: str
    clocks: float
    each: float
    moved: float

    def __str__(self) -> str:
        return f"{self.clocks:.0f} clocks, bound by {self.bound}"


def _copies(tile: TilePlacement, staged: Staged, items: int, banks: int) -> Iterator[_Copied]:
    """A tile is filled by vectors, which are stored in one piece where padding leaves them one, and written back by
    single elements."""
    size, (*rows, row), elements = element_bytes(staged), staged.lengths, prod(staged.lengths)
    moved = elements // row * _row(row, size)
    vector = copy_width(staged, tile.layout)
    apart = tile.layout.padding % vector != 0
    for width, pieces in ((vector, vector if apart else 1),) * staged.reads + ((1, 1),) * staged.writes:
        shared = panels((*rows, row // width), items)
        turns = sum(panel.times for panel in shared)
        instructions = items * (turns * (_COPY + _APART * (pieces - 1)) + len(shared) * _BEGIN)
        degree = max(tile.after, _degree_apart(tile, staged, banks)) if pieces > 1 else 1
        yield _Copied(turns, instructions, elements * size * degree, moved)


def _degree_apart(tile: TilePlacement, staged: Staged, banks: int) -> int:
    """The bank conflict of work-items side by side that store the elements of their vectors one by one, where padding
    has no place for these in one piece."""
    vector = copy_width(staged, tile.layout)
    return min(vector, max(1, staged.lengths[-1] // banks)) if tile.layout.padding % vector else 1


#: what a group does, without and with strips as a pipeline, by how many are resident together
Counted: TypeAlias = "dict[int, tuple[GroupWork, GroupWork]]"


class Work:
    """Counts for the sizes of one kernel on one device; what does not depend on sizes is found out once. Mapped loops
    of which nobody knows how often they run do so `length` times; without it, as often as is usually assumed."""

    def __init__(self, placement: NestPlacement, device: Device, fused: bool, length: int = 0) -> None:
        self._placement, self._device, self._fused, self._length = placement, device, fused, length
        self._nest = placement.partition.nest
        self._accesses: dict[tuple[int, int, int], _Accesses] = {}
        self._degrees = {tile.staged.variable.name: tile.after for tile in placement.tiles}

    @cached_property
    def patterns(self) -> tuple[AccessPattern, ...]:
        """What an iteration accesses."""
        return patterns_of(self._placement)

    @cached_property
    def operations(self) -> float:
        """The arithmetic of an iteration."""
        return arithmetic(self._placement, self._fused)

    @cached_property
    def inside(self) -> dict[int, LoopNode]:
        """The loops of a work-item."""
        outside = self._nest.depth
        return {n.index: n for s in self._nest.statements for n in s.loops[outside:]}

    @cached_property
    def _rounds(self) -> float:
        """How often a loop goes round that is not unrolled."""
        outside = self._nest.depth
        long = ([t for t in map(trips, s.loops[outside:]) if t > UNROLLED] for s in self._nest.statements)
        return max((prod(found) for found in long if found), default=0.0)

    def _of(
        self, shape: Shape, along: tuple[int, int, int], local_bytes: int, resident: int
    ) -> tuple[GroupWork, GroupWork]:
        """What a group of a shape does, with so many iterations of a work-item, where a unit holds `resident` of so
        many bytes of local memory; and where strips are a pipeline, in which it only stands still for less long."""
        device = self._device
        points, items = prod(m.size for m in shape.grid), prod(m.threads for m in shape.grid)
        own = self._accesses.get(along) or self._accesses.setdefault(along, self._accessed(along))
        sizes = {m.loop.index: m.size for m in shape.grid}
        instructions = points * (self.operations + own.instructions) + items * (_ITEM + _LOOP * self._rounds)
        local, cache, still, ahead = points * own.local, points * own.cache, 0.0, 0.0
        rounds = early = 0.0
        bytes_ = (
            float(sum(one.bytes(sizes) for one in self._reached)) if device.load_cache_bytes else points * own.bytes
        )
        kept = device.load_cache_bytes
        if kept > device.local_per_unit:  # it is what local memory leaves
            kept -= resident * local_bytes
        line = device.transaction_bytes
        used = resident * line * sum(one.lines(sizes, line) for one in self._reached if one.scattered)
        if device.load_cache_bytes and used > kept:
            bytes_ += points * own.scattered  # lines are gone before their next element is asked for
        for tile, staged in zip(self._placement.tiles, shape.staged, strict=True):
            for copy in _copies(tile, staged, items, device.banks):
                fills = self.fills(staged, shape)
                instructions += fills * copy.instructions
                local += fills * copy.local / device.local_bandwidth
                cache += fills * copy.bytes / device.local_bandwidth
                bytes_ += fills * copy.bytes
                coming = copy.bytes / device.cache_bandwidth
                waited = fills * (_GLOBAL * ceil(copy.turns / _UNROLLED) + coming)
                still += waited
                if self._comes_early(staged):
                    rounds, early = max(rounds, fills), early + fills * coming
                else:
                    ahead += waited
                still, ahead = still + fills * _BARRIERS, ahead + fills * _BARRIERS
        alone = self._waits(along) + instructions / items
        ahead += max(0.0, rounds * _GLOBAL + early - alone)  # what comes early does so while the group runs
        plain = GroupWork(instructions, local, cache, bytes_, alone, still, self._tested(shape, along))
        return plain, replace(plain, still=ahead)

    def _tested(self, shape: Shape, along: tuple[int, int, int]) -> float:
        """The clocks that a group takes more where its tile is cut off: each iteration of a work-item is tested, and
        waits for what it loads; along x this is so for all of a row of tiles, along y and z for its last one only."""
        cut = any(not e.exactly or e.trips % m.size for e, m in zip(self._assumed[0], shape.grid, strict=True))
        if not cut or self.inside:
            return 0.0
        return (_GLOBAL if along[0] > 1 else _SHARED) * (prod(along) - 1)

    def registers_ahead(self, shape: Shape) -> int:
        """The 32-bit registers of a work-item in which the next strip's tiles are on their way; 0 where none can be."""
        items, words = prod(m.threads for m in shape.grid), 0
        for tile, staged in zip(self._placement.tiles, shape.staged, strict=True):
            if self._comes_early(staged):
                (copy,) = _copies(tile, staged, items, self._device.banks)
                words += max(1, copy_width(staged, tile.layout) * element_bytes(staged) // 4) * copy.turns
        return words

    def _comes_early(self, staged: Staged) -> bool:
        """Whether a tile can be fetched a strip ahead: nothing in the kernel changes what it is of."""
        stripped = staged.at is not None and staged.reads and not staged.writes and not staged.packed
        return stripped and staged.variable.memory not in self._written

    @cached_property
    def _written(self) -> frozenset[str]:
        return memory_written(self._nest)

    def _accessed(self, along: tuple[int, int, int]) -> _Accesses:
        """A work-item with some iterations along x, y, z; those that do not move along an axis are made once."""
        device, several = self._device, prod(along)
        count = local = cache = bytes_ = scattered = 0.0
        for r in self.patterns:
            times = r.times * reached(along, r) / several
            count += times
            if r.local:
                local += times * r.bytes * self._degrees.get(r.access.variable.name, 1) / device.local_bandwidth
                continue
            lines = self._segments(r) / device.simd_width
            cache += times * lines * device.transaction_bytes / device.local_bandwidth
            missed = times * (max(r.bytes, SECTOR * lines) if r.coalesced else SECTOR)
            bytes_ += missed
            scattered += 0 if r.coalesced else missed
        count += self._addressed(along) / several
        return _Accesses(count, local, cache if device.load_cache_bytes else 0.0, bytes_, scattered)

    def _addressed(self, along: tuple[int, int, int]) -> float:
        """The instructions of a work-item with some iterations along x, y, z for addresses: once for all references to
        a row, whose constants fold into them; tiles have rows of constant length, which fold too."""
        return sum(each * prod(along[axis] for axis in axes) for each, axes in self._addresses)

    @cached_property
    def _addresses(self) -> tuple[tuple[float, tuple[int, ...]], ...]:
        """What finding each row takes a work-item, and the axes along which its iterations are in other ones."""
        rows = {(r.access.space, r.rows, r.constants[:-1]): r for r in self._references}
        tiles = {(r.access.space, r.rows): r for r in self._staged}
        own = ((self._address(r, False), self._apart(r)) for r in rows.values())
        return (*own, *((self._address(r, True), ()) for r in tiles.values()))

    def _address(self, r: AffineReference, local: bool) -> float:
        leading = {loop for row in r.rows[:-1] for loop, _ in row.loops}
        deep = self._deep(r)
        if _is_long(deep):
            often = prod(trips(n) for n in deep if trips(n) > UNROLLED or n.index in leading)
            return (1 if local else _WIDE) * often
        return _PLACE * (1 if local else prod(trips(n) for n in deep if n.index in leading))

    def _apart(self, r: AffineReference) -> tuple[int, ...]:
        """The axes along which a work-item's iterations are in other rows of an array."""
        leading = {loop for row in r.rows[:-1] for loop, _ in row.loops}
        return tuple(m.axis for m in self._nest.grid if m.loop.index in leading and m.axis < _AXES)

    def _deep(self, r: AffineReference) -> list[LoopNode]:
        """The loops of a work-item around a reference, down to the last one that it moves with."""
        inner = [n for n in r.statement.loops if n.index in self.inside]
        used = [k for k, n in enumerate(inner) if any(row.of(n.index) for row in r.rows)]
        return inner[: max(used, default=-1) + 1]

    def _segments(self, r: AccessPattern) -> int:
        """The lines that a warp touches with a reference."""
        if 0 not in r.moves:
            return 1
        return (
            ceil(self._device.simd_width * r.bytes / self._device.transaction_bytes)
            if r.coalesced
            else self._device.simd_width
        )

    @cached_property
    def _references(self) -> tuple[AffineReference, ...]:
        """Those to global memory."""
        return tuple(self._affine(local=False))

    @cached_property
    def _staged(self) -> tuple[AffineReference, ...]:
        """Those to tiles."""
        return tuple(self._affine(local=True))

    def _affine(self, local: bool) -> Iterator[AffineReference]:
        staged = {id(a) for s in self._placement.partition.staged for a in s.accesses}
        for statement in self._nest.statements:
            for access in statement.accesses:
                shared = access.variable.kind is VariableKind.MEMORY and access.variable.name not in self._nest.private
                if shared and access.subscripts and (id(access) in staged) is local:
                    reference = affine(access, statement)
                    if reference is not None:
                        yield reference

    @cached_property
    def _reached(self) -> tuple[_Reached, ...]:
        """The arrays that stay in global memory."""
        groups: dict[tuple[object, ...], list[AffineReference]] = {}
        for reference in self._references:
            groups.setdefault((reference.access.space, reference.rows), []).append(reference)
        return tuple(self._reach(found) for found in groups.values())

    def _reach(self, found: list[AffineReference]) -> _Reached:
        mapped = {m.loop.index: m for m in self._nest.grid}
        fixed, inner, along = [], [], []
        for k, row in enumerate(found[0].rows):
            constants = [r.constants[k] for r in found]
            loops = ((abs(c), self.inside[loop]) for loop, c in row.loops if loop in self.inside)
            fixed.append(1 + max(constants) - min(constants))
            inner.append(int(sum(c * (trips(n) - 1) for c, n in loops)))
            along.append(tuple((loop, abs(c)) for loop, c in row.loops if loop in mapped))
        rows = found[0].rows
        x = next((m.loop.index for m in self._nest.grid if m.axis == 0), -1)
        apart = any(row.of(x) for row in rows[:-1])
        return _Reached(tuple(fixed), tuple(inner), tuple(along), found[0].element_bytes, apart)

    def _waits(self, along: tuple[int, int, int]) -> float:
        """The clocks that a work-item waits for what its iterations load, and for the results of one."""
        near = _NEAR if self._device.load_cache_bytes else _SHARED
        loads = [r for r in self.patterns if not r.stores]
        waits = _RESULT * self.operations
        for r in loads:
            if r.inner:
                latency = _NEAR if r.local else near + _SHARED * self._renewed.get(id(r.access), 1.0)
                waits += latency * r.times * reached(along, r) / _UNDER_WAY
        return waits + (_GLOBAL if any(not r.local for r in loads) else 0)

    @cached_property
    def _renewed(self) -> dict[int, float]:
        """How often references come to a new line, of the steps of the innermost loop that they move with."""
        found = {}
        for r in self._references:
            deep = self._deep(r)
            if deep:
                *rows, last = (abs(row.of(deep[-1].index)) for row in r.rows)
                line = self._device.transaction_bytes
                found[id(r.access)] = 1.0 if any(rows) else min(1.0, last * r.element_bytes / line)
        return found

    def time(
        self,
        shape: Shape,
        along: tuple[int, int, int],
        local_bytes: int,
        groups: int,
        ahead: bool = False,
        known: Counted | None = None,
    ) -> Time:
        """What a launch takes of a shape with so many iterations of a work-item along x, y, z, where a unit has room
        for `groups` of so many bytes of local memory. Where a mapped loop's length is not known, the geometric mean of
        the clocks for both that are assumed: a shape should do for small problems and large ones. With `ahead`, strips
        are a pipeline; what is `known` of the shape's groups is not counted again."""
        points, known, results = prod(m.size for m in shape.grid), {} if known is None else known, []
        work = None
        for extents in self._assumed:
            launched = _launched(extents, shape)
            held = max(1, min(groups, ceil(launched / self._device.compute_units)))
            if held not in known:
                known[held] = self._of(shape, along, local_bytes, held)
            own = known[held][ahead]
            work = work or own
            iterations = prod(e.trips for e in extents)
            filled = iterations / (launched * points) if all(e.exactly for e in extents) else 1.0
            results.append((iterations, *clocks(own, launched, filled, held, self._device)))
        bound = results[0][1]
        whole = prod(taken for *_, taken in results) ** (1 / len(results))
        each = whole / prod(iterations for iterations, *_ in results) ** (1 / len(results))
        assert work is not None
        return Time(bound, whole, each, work.bytes / points)

    @property
    def iterations(self) -> int:
        """Those of the mapped loops, of the smaller problem that is assumed where lengths are not known."""
        return prod(extent.trips for extent in self._assumed[0])

    def conflicts(self, shape: Shape) -> int:
        """The greatest bank conflict that the lengths of a shape's strips bring to what fills its tiles."""
        tiles = zip(self._placement.tiles, shape.staged, strict=True)
        return max((_degree_apart(tile, staged, self._device.banks) for tile, staged in tiles), default=1)

    @cached_property
    def _assumed(self) -> tuple[tuple[_Extent, ...], ...]:
        """How often the mapped loops run, for each of the lengths that are assumed where they are not known."""
        known = [known_trips(d.loop) for d in self._nest.grid]
        if self._length:
            return (tuple(_Extent(self._length if n is None else n, True) for n in known),)
        lengths = (ASSUMED, ASSUMED * _LARGER) if None in known else (0,)
        if not self.inside and known == [None]:
            lengths = (_MANY,)
        return tuple(tuple(_Extent(length if n is None else n, n is not None) for n in known) for length in lengths)

    def fills(self, staged: Staged, shape: Shape) -> float:
        """How often a work-group of a shape fills a tile."""
        if staged.at is None:
            return 1.0
        size = next(s.size for s in shape.strips if s.loop.index == staged.at.index)
        own, around = self._runs[staged.at.index]
        return ceil(own / size) * around

    @cached_property
    def _runs(self) -> dict[int, tuple[float, float]]:
        """How often each of a work-item's loops runs, and the loops around it together."""
        inside = self.inside.values()
        around = {n.index: [m for m in inside if m.depth < n.depth and self._holds(m, n)] for n in inside}
        return {n.index: (trips(n), prod(map(trips, around[n.index]))) for n in inside}

    def _holds(self, outer: LoopNode, inner: LoopNode) -> bool:
        """Whether a statement stands in both loops."""
        return any(outer in s.loops and inner in s.loops for s in self._nest.statements)


def _launched(extents: tuple[_Extent, ...], shape: Shape) -> int:
    return ceil(prod(extent.tiles(m.size) for extent, m in zip(extents, shape.grid, strict=True)))


def _is_long(loops: list[LoopNode]) -> bool:
    """Whether one of them is not unrolled."""
    return any(trips(n) > UNROLLED for n in loops)


def reached(along: tuple[int, int, int], pattern: AccessPattern) -> int:
    """The elements that a work-item with some iterations along x, y, z reaches."""
    return prod(iterations for axis, iterations in enumerate(along) if axis in pattern.moves)
