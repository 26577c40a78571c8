"""The cooperative copies of staged arrays, as code generation makes them.

Teams of a group's work-items take rows of the tile (`accshare.teams`); elements that lie outside of what the kernel
touches are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import prod

import islpy as isl

from accshare.device import Device
from accshare.islbuild import at_least, at_most, bare, equal, lexmax, lexmin, pairs, points, within
from accshare.mapping.ir import NestPartition
from accshare.poly.ir import LoopNode, Mode, Statement
from accshare.records import dataclass
from accshare.schedule.ir import Staged
from accshare.teams import panels
from accshare.traffic.full import uniform_loops
from accshare.traffic.lattice import Form
from accshare.traffic.layout import address, extents, fixed_map, fixed_set, linear, subscripts
from accshare.traffic.warps import Batch, Cost, cost

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


def copy_cost(part: NestPartition, staged: Staged, mode: Mode, device: Device, values: Mapping[str, int]) -> Cost:
    """What loading a staged array's tiles costs in all launches of a kernel, or storing them."""
    tiles = _Tiles(part, staged, _held(part, staged.at), values)
    width = _width(staged, values) if mode is Mode.READ else 1
    steps = (*(1 for _ in staged.lengths[:-1]), width)
    lengths = tuple(n // step for n, step in zip(staged.lengths, steps, strict=True))
    form, size = address(staged.accesses[0], values)
    box = _box(tiles, lengths, steps)
    elements = tiles.elements(mode).intersect_domain(tiles.moments())
    accesses = box.intersect(elements.insert_dims(_IN, tiles.rank, len(lengths)))
    warp = _warp(part, lengths, device)
    forms = linear(box)
    if forms is None:
        weights = (*(0 for _ in range(accesses.dim(_IN))), *form.coefficients)
        place = Form(weights, form.constant)
        batch = Batch(accesses.wrap().flatten(), tiles.rank, place, width * size, warp, False)
    else:
        place = Form((0,) * accesses.dim(_IN), form.constant)
        for weight, row in zip(form.coefficients, forms, strict=True):
            place = place.plus(weight, row)
        batch = Batch(accesses.domain(), tiles.rank, place, width * size, warp, True)
    spent = cost(batch, device.transaction_bytes)
    return Cost(width * spent.elements, spent.transactions)


def _box(tiles: _Tiles, lengths: tuple[int, ...], steps: tuple[int, ...]) -> isl.Map:
    """From a tile and the offsets in it to the element: each dimension has some length, in steps of elements."""
    every = points(tiles.rank + len(lengths))
    offsets = every.coordinates[tiles.rank :]
    inside = every.where(*(within(offset, 0, length) for offset, length in zip(offsets, lengths, strict=True)))
    places = None
    for low, step, offset in zip(tiles.lower(), steps, offsets, strict=True):
        moved = every.to([step * offset]).intersect_domain(inside)
        place = low.insert_dims(_IN, tiles.rank, len(lengths)).sum(moved)
        places = place if places is None else places.flat_range_product(place)
    assert places is not None, "an array has dimensions"
    return places


def _width(staged: Staged, values: Mapping[str, int]) -> int:
    """How many elements a work-item loads at once: a vector where rows are whole ones; arrays are aligned."""
    rows = extents(staged.variable, values)
    return staged.width if len(rows) < 2 or rows[-1] % staged.width == 0 else 1


@dataclass(frozen=True, slots=True)
class _Tiles:
    """The tiles of a staged array as tuples: the host loops' iterators, the group's place along each mapped loop, and
    the number of the strip (or the iteration) of each loop `held` by the group, which come with their size."""

    part: NestPartition
    staged: Staged
    held: tuple[tuple[LoopNode, int], ...]
    values: Mapping[str, int]

    @property
    def hosts(self) -> int:
        """How many loops on the host are around the kernel."""
        return len(self.part.nest.host)

    @property
    def rank(self) -> int:
        """How many numbers tell a tile."""
        return self.hosts + len(self.part.nest.grid) + len(self.held)

    def instances(self, tile: Sequence[isl.Aff], iterators: Sequence[isl.Aff]) -> Iterator[isl.Set]:
        """Which iterations of the loops around a statement belong to a tile."""
        yield from map(equal, tile[: self.hosts], iterators)
        cut = [(m.loop, m.size * m.step, m.begin * m.step) for m in self.part.nest.grid]
        held = [(loop, size, 0) for loop, size in self.held]
        for number, (loop, size, begin) in zip(tile[self.hosts :], (*cut, *held), strict=True):
            yield within(iterators[loop.depth], size * number + begin, size)

    def tile_of(self, statement: Statement) -> isl.Map:
        """From a statement's instances to the tile they use."""
        both = pairs(len(statement.loops), self.rank)
        relation = both.where(*self.instances(both.target, both.source))
        return relation.intersect_domain(_domain(statement, self.values))

    def lower(self) -> tuple[isl.Map, ...]:
        """The first element of a tile along each dimension, as if no iteration was missing at the borders."""
        result = []
        for k in range(len(self.staged.lengths)):
            reached = pairs(self.rank, 1).nothing
            for statement, access in self.staged.uses(self.part.nest.statements):
                steps = isl.Set.from_basic_set(statement.domain.affine_hull())  # loops with a step skip iterations
                around = self.around(statement).intersect_range(fixed_set(steps, self.values).reset_tuple_id())
                reached = reached.union(around.apply_range(subscripts(access, self.values)[k]))
            result.append(lexmin(reached))
        return tuple(result)

    def around(self, statement: Statement) -> isl.Map:
        """From a tile to its `instances`, with the loops that are inside of it, where their bounds are constants."""
        both = pairs(self.rank, len(statement.loops))
        fixed = {d.loop.index for d in self.part.nest.grid} | {loop.index for loop, _ in self.held}
        where = [*self.instances(both.source, both.target)]
        for k, node in enumerate(statement.loops[self.hosts :], self.hosts):
            low, high = statement.domain.dim_min_val(k), statement.domain.dim_max_val(k)
            if node.index not in fixed and low.is_int() and high.is_int():
                where += [at_least(both.target[k], low.to_python()), at_most(both.target[k], high.to_python())]
        return both.where(*where)

    def elements(self, mode: Mode) -> isl.Map:
        """The elements that are copied, by tile. Of an array that is only read, all that any tile needs."""
        own = self.staged.writes or mode is Mode.WRITE
        result = None
        for statement, access in self.staged.uses(self.part.nest.statements):
            if access.mode is not mode:
                continue
            places = bare(fixed_map(access.relation, self.values))
            if own:
                who = self.tile_of(statement).reverse()
            else:
                who = self.launch().apply_range(self.launched(statement).reverse())
            found = who.apply_range(places)
            result = found if result is None else result.union(found)
        assert result is not None, "a copy has references"
        return result.coalesce()

    def moments(self) -> isl.Set:
        """The tiles that are filled and emptied."""
        if self.staged.at is not None:
            inside = (s for s in self.part.nest.statements if self.staged.at in s.loops)
            found = [self.tile_of(statement).range() for statement in inside]
            result = found[0]
            for more in found[1:]:
                result = result.union(more)
            return result.coalesce()
        filled, both = points(self.rank).everything, pairs(self.rank, 1)
        for group, member in zip(both.source[self.hosts :], self.part.nest.grid, strict=False):
            there: isl.Map | None = None
            for statement in self.part.nest.statements:
                every = points(len(statement.loops))
                own = self.launched(statement).reverse().apply_range(every.to([member.number(every.coordinates)]))
                there = own if there is None else there.union(own)
            assert there is not None, "a kernel has statements"
            (number,), size = both.target, member.size
            first = size * group + member.begin
            for end, bound in (
                (lexmin(there), at_most(number, first + size - 1)),
                (lexmax(there), at_least(number, first)),
            ):
                filled = filled.intersect(self.launch().apply_range(end).intersect(both.where(bound)).domain())
        return filled.coalesce()

    def launch(self) -> isl.Map:
        """From a tile to the iterations of the host loops."""
        every = points(self.rank)
        return every.to(every.coordinates[: self.hosts])

    def launched(self, statement: Statement) -> isl.Map:
        """The same for a statement's instances."""
        every = points(len(statement.loops))
        return every.to(every.coordinates[: self.hosts]).intersect_domain(_domain(statement, self.values))


def _held(part: NestPartition, at: LoopNode | None) -> tuple[tuple[LoopNode, int], ...]:
    """The loops that the group runs together down to one of them, with the size of their strips."""
    if at is None:
        return ()
    sizes = uniform_loops(part)
    path = next(s.loops[: at.depth + 1] for s in part.nest.statements if at in s.loops)
    return tuple((loop, sizes[loop.index]) for loop in path if loop.index in sizes)


def _domain(statement: Statement, values: Mapping[str, int]) -> isl.Set:
    return fixed_set(statement.domain, values).reset_tuple_id()


def _warp(part: NestPartition, lengths: tuple[int, ...], device: Device) -> Callable[[tuple[int, ...]], int]:
    """The warp, and its turn, that copies an element (or vector) of a tile of such lengths."""
    items = prod(part.work_group)
    warps = -(-items // device.simd_width)
    shared = panels(lengths, items)
    before = tuple(accumulate((panel.times for panel in shared), initial=0))
    strides = [prod(lengths[k + 1 : -1]) for k in range(len(lengths) - 1)]

    def warp(offsets: tuple[int, ...]) -> int:
        number = next(k for k, panel in enumerate(shared) if offsets[-1] < panel.first + panel.width)
        row = sum(s * o for s, o in zip(strides, offsets, strict=False))
        turn, item = shared[number].copier(row, offsets[-1])
        return (before[number] + turn) * warps + item // device.simd_width

    return warp
