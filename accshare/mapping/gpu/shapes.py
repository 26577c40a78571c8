"""The tiles and work-groups that are tried: fewer work-items for a tile, or larger tiles for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from accshare.device import Device
from accshare.frontend.ir import Scalar
from accshare.mapping.ir import NestPartition, cut
from accshare.records import dataclass, replace
from accshare.relax.ir import Reduction
from accshare.schedule.ir import Member, Staged

#: the most iterations of a work-item along an axis, and how much larger than the solver's a tile gets
MOST_ALONG = 16
MOST_GROWTH = 16
#: work-items that lie side by side along x (15), so that what they access coalesces
_NARROWEST = 32
#: bytes side by side of which strips have at least as many: two sectors
_ROW = 64
#: how much longer or shorter strips get, and the iterations that they have at least and at most
_STRIPS, _SHORTEST, _LONGEST = (1 / 4, 1 / 2, 2, 4), 8, 128


@dataclass(frozen=True, slots=True)
class Freedom:
    """What may be changed: the iterations of a work-item to try along each axis, whether tiles may `grow`, to which
    part they may `shrink`, and be it to `short_rows` that fill no transaction; the most work-items of a group, and the
    most iterations of a work-item in all."""

    along: dict[int, tuple[int, ...]]
    grow: bool
    shrink: int
    short_rows: bool
    work_items: int
    iterations: int


def factors(grid: tuple[Member, ...]) -> tuple[int, int, int]:
    """The iterations of one work-item along x, y, z."""
    along = {d.axis: d.size // d.threads for d in grid}
    return along.get(0, 1), along.get(1, 1), along.get(2, 1)


@dataclass(frozen=True, slots=True)
class Shape:
    """A point of the search: the members of the grid and the strips with their sizes, and what is staged, cut to
    measure."""

    grid: tuple[Member, ...]
    staged: tuple[Staged, ...]
    strips: tuple[Member, ...]

    @staticmethod
    def of(partition: NestPartition) -> Shape:
        """That of a kernel as it is cut."""
        return Shape(partition.nest.grid, partition.staged, partition.strips)

    def sizes(self) -> dict[int, int]:
        """Those of tiles and strips by loop."""
        return {m.loop.index: m.size for m in (*self.grid, *self.strips)}


def shapes(own: Shape, freedom: Freedom, device: Device) -> Iterator[Shape]:
    """All legal ways to run a kernel with work-items of several iterations, its tiles cut to measure."""
    least = min(device.simd_width, prod(m.threads for m in own.grid))
    choices = [tuple(_choices(m, freedom, device)) for m in own.grid]
    for grid in product(*choices):
        items = prod(m.threads for m in grid)
        if least <= items <= freedom.work_items and prod(m.size for m in grid) <= items * freedom.iterations:
            shape = _resized(own, grid, own.strips)
            if freedom.short_rows or _has_rows(own, shape, device.transaction_bytes):
                yield shape


def _has_rows(own: Shape, shape: Shape, least: int) -> bool:
    """Whether rows of its tiles, which copies move, are as long as the kernel's own, or have so many bytes."""
    pairs = zip(own.staged, shape.staged, strict=True)
    return all(b.lengths[-1] >= min(a.lengths[-1], least // element_bytes(b)) for a, b in pairs)


def other_strips(own: Shape) -> Iterator[Shape]:
    """The same tile with shorter and longer strips, all of them at once."""
    for times in _STRIPS if own.strips else ():
        strips = tuple(replace(m, size=int(m.size * times)) for m in own.strips)
        shape = _resized(own, own.grid, strips)
        if all(_SHORTEST <= m.size <= _LONGEST for m in strips) and _has_rows(own, shape, _ROW):
            yield shape


def _choices(member: Member, freedom: Freedom, device: Device) -> Iterator[Member]:
    if member.axis not in freedom.along:
        yield member
        return
    narrowest = min(_NARROWEST, device.simd_width, member.threads) if member.axis == 0 else 1
    for factor in freedom.along[member.axis]:
        for tile in _tiles(member.size, freedom):
            threads, rest = divmod(tile, factor)
            if rest == 0 and narrowest <= threads <= freedom.work_items:
                yield replace(member, size=tile, threads=threads)


def _tiles(tile: int, freedom: Freedom) -> Iterator[int]:
    """`tile`, and it doubled and halved again and again where that is allowed."""
    yield tile
    times = 2
    while times <= MOST_GROWTH:
        if freedom.grow:
            yield tile * times
        if times <= freedom.shrink and tile % times == 0:
            yield tile // times
        times *= 2


def _resized(own: Shape, grid: tuple[Member, ...], strips: tuple[Member, ...]) -> Shape:
    """The kernel with other sizes; what it stages grows as its tile does."""
    shape = Shape(grid, own.staged, strips)
    old, new = own.sizes(), shape.sizes()
    return shape if old == new else replace(shape, staged=tuple(_fitted(s, old, new) for s in own.staged))


def recut(partition: NestPartition, shape: Shape) -> NestPartition:
    """A kernel cut anew to a shape; itself where that is its own."""
    if shape == Shape.of(partition):
        return partition
    return replace(partition, nest=cut(partition.nest, shape.grid, shape.strips, shape.staged))


def _fitted(staged: Staged, old: dict[int, int], new: dict[int, int]) -> Staged:
    lengths = tuple(
        length + sum(more * (new[loop] - old[loop]) for loop, more in growth if loop in new)
        for length, growth in zip(staged.lengths, staged.growth, strict=True)
    )
    parts = (lengths[-1], *(more * new[loop] for loop, more in staged.growth[-1] if loop in new))
    width = staged.width
    while any(part % width for part in parts):
        width //= 2
    return replace(staged, lengths=lengths, width=width)


def local_bytes(shape: Shape, reductions: tuple[Reduction, ...], padded: dict[int, int]) -> int:
    """What a work-group keeps in local memory: its tiles, whose rows `padded` makes longer (by their number), and the
    accumulators of its work-items."""
    items = prod(m.threads for m in shape.grid)
    own = sum(_bytes(r.variable.element) for r in reductions) * items
    return own + sum(
        prod(s.lengths[:-1]) * (s.lengths[-1] + padded.get(k, 0)) * element_bytes(s) for k, s in enumerate(shape.staged)
    )


def element_bytes(staged: Staged) -> int:
    """The size of an element of a tile."""
    return _bytes(staged.accesses[0].reference.type)


def _bytes(type_: object) -> int:
    return type_.bytes if isinstance(type_, Scalar) else 0
